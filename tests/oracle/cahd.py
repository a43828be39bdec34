"""CAHD, slow and obvious (section C): rows are pairs (ordinary items, sensitive items), both sets."""


def bipartite_order(rows, columns):
    """Rows and columns in reverse Cuthill-McKee order of the graph of rows and columns."""
    vertices = [("row", i) for i in range(len(rows))] + [("column", c) for c in columns]
    neighbours = {vertex: [] for vertex in vertices}
    for i, row in enumerate(rows):
        for c in row:
            neighbours["row", i].append(("column", c))
            neighbours["column", c].append(("row", i))
    found = reverse_cuthill_mckee(vertices, neighbours)
    return [i for kind, i in found if kind == "row"], [c for kind, c in found if kind == "column"]


def common_items_order(rows):
    """Rows in reverse Cuthill-McKee order of the graph that joins rows with a common item."""
    vertices = list(range(len(rows)))
    neighbours = {i: [j for j in vertices if j != i and set(rows[i]) & set(rows[j])] for i in vertices}
    return reverse_cuthill_mckee(vertices, neighbours)


def reverse_cuthill_mckee(vertices, neighbours):
    index = {vertex: i for i, vertex in enumerate(vertices)}
    rank = {vertex: (len(neighbours[vertex]), index[vertex]) for vertex in vertices}
    found, seen = [], set()
    for start in sorted(vertices, key=rank.get):
        if start in seen:
            continue
        seen.add(start)
        queue = [start]
        for vertex in queue:  # grows while it is gone through
            fresh = sorted((v for v in neighbours[vertex] if v not in seen), key=rank.get)
            seen.update(fresh)
            queue += fresh
        found += queue
    return found[::-1]


def worst_item(rows):
    """The sensitive item with the largest count (the first of them), and the count."""
    counts = count_sensitive(rows)
    return min(counts, key=lambda s: (-counts[s], s)), max(counts.values())


def count_sensitive(rows):
    counts = {}
    for _, sensitive in rows:
        for s in sensitive:
            counts[s] = counts.get(s, 0) + 1
    return counts


def candidates(t, alive, rows, p, alpha):
    """Up to alpha*p rows on either side of t without conflicts, the nearer sides taking turns."""
    before = [x for x in reversed(alive) if x < t]
    after = [x for x in alive if x > t]
    accepted = {"before": [], "after": []}
    taken = set(rows[t][1])
    while True:
        moved = False
        for side, waiting in (("before", before), ("after", after)):
            if not waiting or len(accepted[side]) == alpha * p:
                continue
            moved = True
            x = waiting.pop(0)
            if not taken & set(rows[x][1]):
                taken |= set(rows[x][1])
                accepted[side].append(x)
        if not moved:
            return accepted["before"] + accepted["after"]


def form_groups(rows, p, alpha=3, published_check=False):
    """Groups of positions of rows, which are in the order that similar ones are near each other."""
    left = count_sensitive(rows)
    alive = list(range(len(rows)))
    groups = []
    formed = True
    while formed:
        formed = False
        for t in [x for x in alive if rows[x][1]]:
            if t not in alive:
                continue
            near = candidates(t, alive, rows, p, alpha)
            if len(near) < p - 1:
                continue
            near.sort(key=lambda x: (-len(set(rows[x][0]) & set(rows[t][0])), abs(x - t), x))
            group = [t, *near[: p - 1]]
            after = dict(left)
            for x in group:
                for s in rows[x][1]:
                    after[s] -= 1
            remaining = len(alive) if published_check else len(alive) - len(group)
            if any(count * p > remaining for count in after.values()):
                continue
            left = after
            alive = [x for x in alive if x not in group]
            groups.append(group)
            formed = True
    return groups + ([alive] if alive else [])


def degree(group, rows):
    """The privacy degree of a group as (size, largest count); the count is 0 if nothing is sensitive."""
    return len(group), max(count_sensitive([rows[x] for x in group]).values(), default=0)


def lay_blocks(rows, p, alpha):
    """Blocks of p rows that only ordinary items decide; the last has up to 2p - 1."""
    free, blocks = list(range(len(rows))), []
    while len(free) >= 2 * p:
        first, near = free[0], free[1 : 1 + max(p - 1, min(2 * alpha * p, len(rows)))]
        near.sort(key=lambda x: (-len(set(rows[x][0]) & set(rows[first][0])), x))
        blocks.append([first, *near[: p - 1]])
        free = [x for x in free if x not in blocks[-1]]
    return [*blocks, free]


def is_safe(group, rows, p):
    return all(count * p <= len(group) for count in count_sensitive([rows[x] for x in group]).values())


def blind_groups(rows, p, alpha=3):
    """Neighbouring blocks, merged until they are safe; the remainder is added to earlier groups."""
    groups, opened = [], []
    for block in lay_blocks(rows, p, alpha):
        opened = opened + block
        if is_safe(opened, rows, p):
            groups.append(opened)
            opened = []
    while opened and not is_safe(opened, rows, p):
        opened = groups.pop() + opened
    return groups + ([opened] if opened else [])
