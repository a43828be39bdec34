"""A small supermarket: what it sells, and what is bought together."""

from __future__ import annotations

Shelves = tuple[tuple[str, float, tuple[str, ...]], ...]


def _articles(names: str) -> tuple[str, ...]:
    return tuple(names.split(", "))


# Department, how much of what is picked at random comes from it, and its articles, best sellers first.
DEPARTMENTS: Shelves = (
    (
        "fruit and vegetables",
        22,
        _articles(
            "bananas, tomatoes, apples, cucumber, onions, potatoes, carrots, lettuce, lemons, peppers, avocado, "
            "strawberries, mushrooms, garlic, spinach, grapes, broccoli, fresh ginger"
        ),
    ),
    (
        "dairy",
        20,
        _articles(
            "milk, eggs, butter, yoghurt, cheddar, cream, mozzarella, oat milk, cottage cheese, feta, lactose-free milk"
        ),
    ),
    ("bakery", 14, _articles("bread, rolls, croissants, baguette, rye bread, burger buns, bagels, gluten-free bread")),
    (
        "meat and fish",
        11,
        _articles(
            "minced beef, chicken breast, ham, bacon, sausages, salmon, pork ribs, tuna steaks, lamb chops, tofu, "
            "halal chicken"
        ),
    ),
    (
        "cupboard",
        13,
        _articles(
            "pasta, rice, tomato sauce, sugar, flour, olive oil, breakfast cereal, tinned tuna, honey, jam, porridge "
            "oats, kidney beans, mustard, ketchup, coconut milk, curry paste, soy sauce, baking powder, vanilla "
            "extract, yeast, tortillas, chickpeas, peanut butter"
        ),
    ),
    (
        "drinks",
        10,
        _articles(
            "mineral water, coffee, orange juice, cola, beer, tea, red wine, white wine, lemonade, sparkling wine, "
            "gin, tonic water, vodka, alcohol-free beer"
        ),
    ),
    (
        "sweets and snacks",
        9,
        _articles("chocolate, crisps, biscuits, ice cream, nuts, popcorn, gummy bears, dark chocolate, salsa"),
    ),
    (
        "household",
        6,
        _articles(
            "toilet paper, kitchen roll, washing powder, dish soap, bin bags, batteries, light bulbs, candles, "
            "charcoal, paper plates, birthday candles, greeting card, cat food, dog food, cat litter"
        ),
    ),
    (
        "health and beauty",
        4,
        _articles(
            "toothpaste, shampoo, shower gel, plasters, deodorant, paracetamol, razor blades, sun cream, nappies, "
            "baby wipes, baby food, infant formula, vitamin tablets, cough syrup, tissues"
        ),
    ),
)

# What tends to land in one trolley, and how often somebody shops with that in mind.
THEMES: Shelves = (
    ("breakfast", 20, _articles("bread, butter, jam, milk, coffee, eggs, orange juice, breakfast cereal, honey")),
    ("pasta night", 16, _articles("pasta, tomato sauce, minced beef, garlic, onions, mozzarella, red wine")),
    ("salad", 12, _articles("lettuce, tomatoes, cucumber, feta, olive oil, lemons, avocado, peppers")),
    ("baking", 8, _articles("flour, sugar, butter, eggs, baking powder, vanilla extract, cream, dark chocolate")),
    ("barbecue", 7, _articles("sausages, pork ribs, burger buns, charcoal, ketchup, mustard, beer, paper plates")),
    ("curry", 6, _articles("rice, coconut milk, curry paste, chicken breast, fresh ginger, spinach, chickpeas")),
    ("party", 6, _articles("crisps, salsa, cola, beer, vodka, popcorn, sparkling wine, paper plates, nuts")),
    ("taco night", 5, _articles("tortillas, kidney beans, salsa, avocado, minced beef, cheddar, peppers")),
    ("baby", 5, _articles("nappies, baby wipes, baby food, infant formula, bananas, tissues")),
    ("clean house", 5, _articles("washing powder, dish soap, bin bags, kitchen roll, toilet paper")),
    ("a cold", 3, _articles("tissues, cough syrup, paracetamol, honey, lemons, tea, fresh ginger")),
    ("cat", 3, _articles("cat food, cat litter")),
    ("dog", 3, _articles("dog food, bin bags")),
    ("birthday", 2, _articles("birthday candles, greeting card, chocolate, sparkling wine, gummy bears, ice cream")),
    ("gin and tonic", 2, _articles("gin, tonic water, lemons, nuts, cucumber")),
    ("no animals", 2, _articles("tofu, oat milk, chickpeas, peanut butter, spinach, soy sauce")),
)

# Articles that say more about a person than about a dinner; rare, and with what is often bought beside them.
REVEALING: Shelves = (
    ("condoms", 8, _articles("red wine, chocolate, candles, razor blades")),
    ("pregnancy test", 5, _articles("chocolate, vitamin tablets")),
    ("folic acid", 4, _articles("vitamin tablets, spinach, fresh ginger")),
    ("blood sugar strips", 4, _articles("rye bread, cottage cheese, nuts")),
    ("nicotine patches", 4, _articles("gummy bears, mineral water")),
    ("hair loss shampoo", 3, _articles("razor blades, deodorant")),
    ("incontinence pads", 3, _articles("baby wipes, washing powder")),
    ("sleeping tablets", 3, _articles("tea, paracetamol")),
    ("head lice lotion", 2, _articles("shampoo, washing powder")),
    ("antifungal cream", 2, _articles("plasters, shower gel")),
    ("stoma bags", 1, _articles("baby wipes, bin bags")),
    ("morning-after pill", 1, _articles("mineral water, paracetamol")),
)

REVEALING_DEPARTMENT = "health and beauty"
# Department -> the part of the supermarket that it is in.
PARTS = {
    "fruit and vegetables": "fresh food",
    "dairy": "fresh food",
    "bakery": "fresh food",
    "meat and fish": "fresh food",
    "cupboard": "other food",
    "drinks": "other food",
    "sweets and snacks": "other food",
    "household": "not food",
    "health and beauty": "not food",
}
