"""The laboratory: settings are tried on data, what each keeps, shows and takes is measured, and a folder tells of it.

`compare`, `advise` and `experiments` are definitions on what is here. All of it is for the data steward's eyes.
"""
