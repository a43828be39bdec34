"""Headers of the labelled tables in nine languages; the module knows no Finnish word."""

LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "fi")
_TEXT = """
patient | patient_id | Patienten-ID | id_patient | id_paciente | id_paziente | id_doente | patientnr | id_pacjenta | potilastunnus
visit | encounter | Fallnummer | num_sejour | num_visita | num_ricovero | num_consulta | opnamenr | nr_wizyty | käyntitunnus
customer | CustomerID | Kundennummer | num_client | id_cliente | cod_cliente | n_cliente | klantnr | nr_klienta | asiakasnumero
invoice | invoice_no | Belegnummer | num_facture | factura | fattura | fatura | factuur | faktura | lasku
user | user | Nutzer | utilisateur | usuario | utente | utilizador | gebruiker | uzytkownik | käyttäjä
session | session | Sitzung | visite_web | sesion | sessione | sessao | sessie | sesja | istunto
card | card_number | Kartennr | num_carte | tarjeta | tessera | cartao | kaartnr | numer_karty | kortti
pupil | student | Matrikelnummer | num_etudiant | matricula | matricola | num_aluno | leerling | uczen | oppilas
employee | employee_no | Personalnummer | matricule | num_empleado | id_dipendente | num_funcionario | personeelsnr | pracownik | työntekijä
row | row | Zeile | ligne | fila | riga | linha | regel | wiersz | rivi
number | no | Nr | no_ | num | n | numero | volgnr | numer | numero_fi
name | name | Name | nom | nombre | nominativo | nome | naam | osoba | nimi
first name | first_name | Vorname | prenom | nombre_pila | nome_it | primeiro_nome | voornaam | imie | etunimi
last name | surname | Familienname | nom_famille | apellidos | cognome | apelido | achternaam | nazwisko | sukunimi
email | email | E-Mail | courriel | correo_e | posta_el | endereco | mailadres | adres_el | sähköposti
phone | phone | Telefon | tel | telefono | cellulare | telemovel | mobiel | komorka | puhelin
account | iban | Kontonummer | compte | cuenta | conto | conta | rekening | rachunek | tilinumero
social security | ssn | Versichertennr | num_secu | dni | cod_fiscale | nif | bsn | pesel | hetu
policy | policy | Vertrag | contrat | poliza | polizza | apolice | polisnr | polisa | vakuutus
plate | plate | Kennzeichen | immatriculation | placa | targa | chapa | kenteken | rejestracja | rekisteri
age | age | Alter | age_fr | edad | eta | idade | leeftijd | wiek | ikä
sex | sex | Geschlecht | sexe | sexo | sesso | genero | geslacht | plec | sukupuoli
zip | postcode | PLZ | code_postal | cod_postal | cap | codigo_postal | postcode_nl | kod_pocztowy | postinumero
city | town | Wohnort | commune | municipio | comune | concelho | woonplaats | miejscowosc | kunta
region | region | Region | departement | comunidad | regione | distrito | provincie | powiat | maakunta
country | country | Land | pays | pais | paese | pais_pt | land_nl | kraj | maa
birth | date_of_birth | Geburtsdatum | date_naissance | fecha_nacimiento | data_nascita | data_nascimento | geboortedatum | data_urodzenia | syntynyt
birth year | birth_year | Geburtsjahr | annee_naissance | ano_nacimiento | anno_nascita | ano_nascimento | geboortejaar | rok_urodzenia | syntymävuosi
height | height | Größe | taille | estatura | statura | altura | lengte | wzrost | pituus
weight | weight | Gewicht | poids | peso | peso_it | peso_pt | gewicht_nl | waga | paino
marital | marital_status | Familienstand | etat_civil | estado_civil | stato_civile | est_civil | burgerlijk | stan_cywilny | siviilisääty
education | education | Schulabschluss | diplome | estudios | istruzione | habilitacoes | opleiding | szkola | koulutus
job | occupation | Beruf | metier | profesion | mestiere | profissao | beroep | zawod | ammatti
income | income | Einkommen | revenu | ingresos | reddito | rendimento | inkomen | dochod | tulot
salary | salary | Gehalt | salaire | sueldo | stipendio | ordenado | loon | placa_pl | palkka
religion | religion | Konfession | culte | confesion | fede | credo | geloof | wyznanie | uskonto
party | party | Partei | parti | partido | partito | partido_pt | partij | partia | puolue
diagnosis | diagnosis | Diagnose | diagnostic | diagnostico | diagnosi | diagnose_pt | aandoening | rozpoznanie | diagnoosi
drug | drug | Arznei | medicament | farmaco | farmaco_it | remedio | middel | lek | lääke
concept | concept | Konzept | concept_fr | concepto | concetto | conceito | begrip | pojecie | käsite
ward | ward | Abteilung | service | planta | reparto | enfermaria | afdeling | oddzial | osasto
date | date | Datum | jour | fecha | data | data_pt | datum_nl | dzien | päivä
time | timestamp | Zeitpunkt | horodatage | instante | orario | hora | tijdstip | czas | aika
wave | month | Monat | mois | mes | mese | mes_pt | maand | miesiac | kuukausi
day | day | Tag | journee | dia | giorno | dia_pt | dag | doba | vuorokausi
amount | amount | Betrag | montant | importe | importo | valor | bedrag | kwota | summa
price | price | Preis | prix | precio | prezzo | preco | prijs | cena | hinta
quantity | quantity | Menge | quantite | cantidad | quantita | quantidade | aantal | ilosc | määrä
product | product | Artikel | article | producto | prodotto | produto | artikel_nl | produkt | tuote
article number | sku | Artikelnr | ref_article | ref_producto | cod_prodotto | cod_produto | artikelnr_nl | indeks | tuotekoodi
category | category | Warengruppe | rayon | categoria | genere | tipo | soort | kategoria | luokka
book | title | Buch | livre | libro | libro_it | livro | boek | ksiazka | kirja
page | page | Seite | page_web | pagina | pagina_it | pagina_pt | pagina_nl | strona | sivu
query | query | Suche | requete | busqueda | ricerca | pesquisa | zoekopdracht | zapytanie | haku
notes | notes | Anmerkung | remarques | comentarios | appunti | observacoes | opmerking | uwagi | huomautus
subject | subject | Fach | matiere | asignatura | materia | disciplina | vak | przedmiot | oppiaine
grade | grade | Note | note | nota | voto | nota_pt | cijfer | ocena | arvosana
score | score | Punkte | points | puntos | punti | pontos | punten | punkty | pisteet
answer | answer | Antwort | reponse | respuesta | risposta | resposta | antwoord | odpowiedz | vastaus
interests | interests | Interessen | loisirs | aficiones | passioni | interesses | hobbies | hobby | harrastukset
device | device | Gerät | appareil | aparato | dispositivo | aparelho | toestel | urzadzenie | laite
status | status | Zustand | statut | estado | stato | situacao | toestand | stan | tila
source | source | Quelle | provenance | origen | fonte | origem | bron | zrodlo | lähde
site | site | Zentrum | centre | centro | sede | local | locatie | osrodek | keskus
sensor | sensor | Messstelle | capteur | sonda | sensore | sonda_pt | voeler | czujnik | anturi
temperature | temperature | Temperatur | temperature_fr | temperatura | temperatura_it | temperatura_pt | warmte | temp_pl | lämpötila
humidity | humidity | Feuchte | humidite | humedad | umidita | humidade | vocht | wilgotnosc | kosteus
"""  # noqa: E501
_ROWS = [[cell.strip() for cell in row.split("|")] for row in _TEXT.strip().splitlines()]
HEADERS = {concept: dict(zip(LANGUAGES, names, strict=True)) for concept, *names in _ROWS}
