"""What tests of the studio ask again and again."""

ID = "0123456789abcdef0123456789abcdef"


def put(visitor, text, name="baskets.csv", upload_set=ID, number=0):
    headers = {"content-type": "application/octet-stream", "x-name": name}
    usual = {"origin": visitor.studio.door.origin, "sec-fetch-site": "same-origin"}
    address = f"/api/uploads/{upload_set}/{number}"
    return visitor.client.put(address, content=text.encode(), headers=usual | headers)


def published(visitor, data, **method):
    given = {"name": "disassociation", "k": 3, "m": 2} | method
    asked = {"method": {name: value for name, value in given.items() if value is not None}}
    return visitor.finished(visitor.ask("POST", f"/api/data/{data}/releases", asked).json()["job"])
