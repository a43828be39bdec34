"""VERPART: cut the terms of a cluster into chunks that are k^m-anonymous, and publish the projections. Filling chunk
by chunk gives the same chunks as putting each term, in the order of the method, into the first chunk that takes it.
For that, one pass over the records of the term counts its co-occurrences with all chunks at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from disjoin.arrays.ordering import compare_lists, sort_keys, sort_subrecords
from disjoin.errors import GuaranteeUnreachable
from disjoin.jit.kernel import inner, overflowing
from disjoin.model.ragged import Ints32, Ints64, new_state

USED, MOST = 0, 1  # places in a pair: the steps taken or needed, and the limit
BREATH = 50_000_000  # steps between two returns to Python, which handles Ctrl-C
MOST_STEPS = 10_000_000_000  # about half a minute
STEPS_PER_OCCURRENCE = 1_000  # limit for large data


def new_steps(occurrences: int) -> Ints64:
    """Return a count of steps for the work on that many occurrences of terms: none taken yet."""
    return np.array([0, max(MOST_STEPS, STEPS_PER_OCCURRENCE * occurrences)])


def require_end(steps: Ints64, size: int) -> None:
    """Raise if the work on sets of up to `size` terms was stopped because it takes too many steps."""
    if steps[USED] > steps[MOST]:
        raise GuaranteeUnreachable(
            f"the records are too long for m = {size}: testing all their sets of up to {size} terms takes more than "
            f"{steps[MOST]:,} steps. Choose m below {size}, or remove terms from the longest records."
        )


class VerpartState(NamedTuple):
    """Working space for one cluster of up to `occurrences`, reused for the next. A *rank* numbers the frequent terms in
    the method's order: most frequent first, then by term."""

    slot: Ints32  # (n_terms,) term -> local number, -1 outside
    terms: Ints32  # local -> term
    held: Ints64  # local -> records with it
    rank: Ints32  # local -> rank, -1 for a term of the term chunk
    keys: Ints64  # sorting space
    first: Ints64  # rank -> start of its rows in `rows`
    rows: Ints32
    row_first: Ints64  # row -> start of its ranks in `row_ranks`, ascending
    row_ranks: Ints32
    chunk: Ints32  # rank -> chunk
    hits: Ints64  # rank -> records shared with the current term
    touched: Ints32
    refused: Ints64  # chunk -> the last rank + 1 that it refused
    company: Ints64  # chunk -> 2 (rank + 1) if it shares records with one of the chunk's terms, plus 1 if with several
    stack: Ints32  # current rows of the test of larger sets
    part_first: Ints64  # the rows of a rank in the test of larger sets, with the ranks of one chunk only
    part_ranks: Ints32
    lengths: Ints64  # lengths of parts
    sequence: Ints64
    spare: Ints64
    weights: Ints64  # part -> the number of equal parts
    tally: Ints64  # records that also have a touched rank
    leader: Ints32  # rank -> the first rank in exactly the same rows
    steps: Ints64  # (2,) see `new_steps`


def new_desk(n_terms: int, occurrences: int, rows: int, m: int) -> VerpartState:
    known, levels = min(n_terms, occurrences) + 2, max(1, m - 1)
    is_deep = int(m > 2)
    sizes = dict.fromkeys(("part_first", "lengths", "sequence", "spare", "weights"), is_deep * (rows + 1))
    sizes |= {"slot": n_terms, "rows": occurrences, "row_first": rows + 1, "row_ranks": occurrences}
    sizes |= {"touched": known * levels, "stack": rows * levels, "part_ranks": is_deep * occurrences}
    desk = new_state(VerpartState, known, tally=is_deep * known * levels, **sizes)
    desk.slot.fill(-1)
    return desk._replace(steps=new_steps(occurrences))


@inner
def rank_terms(data, desk, lo, hi, k, secret):
    """Count the terms of the cluster and rank those that may enter a chunk; return (local terms, ranks)."""
    known = 0
    for position in range(lo, hi):
        record = data.order[position]
        for i in range(data.offsets[record], data.offsets[record + 1]):
            term = data.items[i]
            local = desk.slot[term]
            if local < 0:
                local = known
                desk.slot[term], desk.terms[local], desk.held[local] = local, term, 0
                desk.rank[local] = -1
                known += 1
            desk.held[local] += 1
    frequent = 0
    n_terms = np.int64(secret.size)
    for local in range(known):
        if desk.held[local] >= k and not secret[desk.terms[local]]:
            desk.keys[frequent] = (hi - lo - desk.held[local]) * n_terms + desk.terms[local]
            frequent += 1
    sort_keys(desk.keys, frequent)
    for rank in range(frequent):
        desk.rank[desk.slot[desk.keys[rank] % n_terms]] = rank
    return known, frequent


@inner
def list_rows(data, desk, lo, hi, frequent):
    """List the rows of every rank and the ranks of every row, both ascending."""
    start = np.int64(0)
    for rank in range(frequent):
        desk.first[rank] = start
        start += desk.held[desk.slot[desk.keys[rank] % desk.slot.size]]
        desk.hits[rank] = 0
    desk.first[frequent], desk.row_first[0] = start, 0
    for position in range(lo, hi):
        record = data.order[position]
        row = position - lo
        inside = 0
        for i in range(data.offsets[record], data.offsets[record + 1]):
            rank = desk.rank[desk.slot[data.items[i]]]
            if rank >= 0:
                desk.rows[desk.first[rank] + desk.hits[rank]] = row
                desk.hits[rank] += 1
                inside += 1
        desk.row_first[row + 1] = desk.row_first[row] + inside
    fill_rows(desk, frequent, hi - lo)


@inner
def list_ranks(desk, frequent, rows):
    """List the ranks of every row again, ascending, from the rows of every rank."""
    for row in range(rows + 1):
        desk.row_first[row] = 0
    for p in range(desk.first[frequent]):
        desk.row_first[desk.rows[p] + 1] += 1
    for row in range(rows):
        desk.row_first[row + 1] += desk.row_first[row]
    fill_rows(desk, frequent, rows)


@inner
def fill_rows(desk, frequent, rows):
    for rank in range(frequent):  # in rank order, so every row gets its ranks in ascending order
        desk.hits[rank] = 0
        for p in range(desk.first[rank], desk.first[rank + 1]):
            row = desk.rows[p]
            desk.row_ranks[desk.row_first[row]] = rank
            desk.row_first[row] += 1
    for row in range(rows, 0, -1):
        desk.row_first[row] = desk.row_first[row - 1]
    desk.row_first[0] = 0


@inner
def count_company(desk, rows, start, end, below, chunk, touched, base):
    """Count, over the given rows, the ranks smaller than `below` (of one chunk, or of all if it is -1)."""
    found = 0
    for p in range(start, end):
        row = rows[p]
        for i in range(desk.row_first[row], desk.row_first[row + 1]):
            rank = desk.row_ranks[i]
            if rank >= below:
                break
            if chunk < 0 or desk.chunk[rank] == chunk:
                if desk.hits[rank] == 0:
                    touched[base + found] = rank
                    found += 1
                desk.hits[rank] += 1
    return found


@inner
def fill_chunks(desk, frequent, k, m, height):
    """Put every rank into the first chunk that stays k^m-anonymous; return the number of chunks. Ranks in exactly the
    same rows all go to the chunk of the first one: each set has the support of one without the others. If there are too
    many pairs to count, all ranks are in one chunk, which must not be published."""
    keep_one_of_twins(desk, frequent, height)
    for row in range(height if m > 1 else 0):
        length = desk.row_first[row + 1] - desk.row_first[row]
        desk.steps[USED] += length * (length - 1) // 2
    if desk.steps[USED] > desk.steps[MOST]:
        desk.chunk[:frequent] = 0
        return min(1, frequent)
    chunks = 0
    for rank in range(frequent):
        if desk.leader[rank] != rank:
            desk.chunk[rank] = desk.chunk[desk.leader[rank]]
            continue
        found = 0
        if m > 1:
            found = count_company(desk, desk.rows, desk.first[rank], desk.first[rank + 1], rank, -1, desk.touched, 0)
        once = 2 * (rank + 1)
        for i in range(found):
            other = desk.touched[i]
            chunk = desk.chunk[other]
            desk.company[chunk] = once if desk.company[chunk] < once else once + 1
            if desk.hits[other] < k:
                desk.refused[desk.chunk[other]] = rank + 1
            desk.hits[other] = 0
        chosen = 0
        while chosen < chunks:
            # Sets of three and more can only occur where the term meets two ranks of the chunk.
            may_be_rare = m > 2 and desk.company[chosen] == once + 1
            if desk.refused[chosen] != rank + 1 and (
                not may_be_rare or sets_are_safe(desk, rank, rank, chosen, k, m, height)
            ):
                break
            chosen += 1
        if chosen == chunks:
            desk.refused[chunks], desk.company[chunks] = 0, 0
            chunks += 1
        desk.chunk[rank] = chosen
    return chunks


@inner
def count_parts(desk, chunks, rows):
    """Count the non-empty subrecords of all chunks together (Lemma 2's N)."""
    total = 0
    for chunk in range(chunks):
        desk.refused[chunk] = -1
    for row in range(rows):
        for i in range(desk.row_first[row], desk.row_first[row + 1]):
            chunk = desk.chunk[desk.row_ranks[i]]
            if desk.refused[chunk] != row:
                desk.refused[chunk] = row
                total += 1
    return total


# Whether a term may join a chunk: no set of three terms or more may become rare. Sets are searched depth first. Sets
# that cannot be rare are skipped: a subrecord that occurs k times makes all its sets safe; a term that all current
# records have changes no support; and each further term removes at most the records that lack it, so a subrecord whose
# terms lack few enough records in all has no rare set.


@inner
@overflowing
def fingerprints(desk, frequent):
    """Write a key of every rank: upper digits are equal for ranks in the same rows, lower digits are the rank."""
    size = np.int64(1)
    while size < frequent:
        size *= 2
    for rank in range(frequent):
        mixed = np.uint64(0)
        for p in range(desk.first[rank], desk.first[rank + 1]):
            row = (np.uint64(desk.rows[p]) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
            row = (row ^ (row >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
            mixed += row ^ (row >> np.uint64(32))
        desk.keys[rank] = np.int64(mixed >> np.uint64(1)) // size * size + rank
    return size


@inner
def in_same_rows(desk, one, other):
    at, end, shift = desk.first[one], desk.first[one + 1], desk.first[other] - desk.first[one]
    if end - at != desk.first[other + 1] - desk.first[other]:
        return False
    while at < end and desk.rows[at] == desk.rows[at + shift]:
        at += 1
    return at == end


@inner
def keep_one_of_twins(desk, frequent, rows):
    """Keep in the rows only the first of the ranks that are in exactly the same rows; `leader` stores which one. Equal
    fingerprints find candidates, and the rows are compared. If another rank is between two equal ones, both stay, which
    costs time but does not change the result."""
    size = fingerprints(desk, frequent)
    sort_keys(desk.keys, frequent)
    leader, twins = np.int64(-1), 0
    for i in range(frequent):
        rank = desk.keys[i] % size
        alike = i > 0 and desk.keys[i] // size == desk.keys[i - 1] // size
        if alike and in_same_rows(desk, leader, rank):
            twins += 1
        else:
            leader = rank
        desk.leader[rank] = leader
    if twins == 0:
        return
    kept, start = np.int64(0), np.int64(0)
    for row in range(rows):
        end = desk.row_first[row + 1]
        for i in range(start, end):
            rank = desk.row_ranks[i]
            if desk.leader[rank] == rank:
                desk.row_ranks[kept] = rank
                kept += 1
        start = end
        desk.row_first[row + 1] = kept


@inner
def contains(values, lo, hi, wanted):
    """Return whether a value is among the ascending values[lo:hi]."""
    end = hi
    while lo < hi:
        middle = (lo + hi) // 2
        if values[middle] < wanted:
            lo = middle + 1
        else:
            hi = middle
    return lo < end and values[lo] == wanted


@inner
def cut_rows(desk, rank, below, chunk):
    """Reduce the rows of a rank to the ranks of a chunk; keep the few that have two or more; return their number."""
    parts = np.int64(0)
    desk.part_first[0] = 0
    for p in range(desk.first[rank], desk.first[rank + 1]):
        row = desk.rows[p]
        end = desk.part_first[parts]
        for i in range(desk.row_first[row], desk.row_first[row + 1]):
            if desk.row_ranks[i] >= below:
                break
            if desk.chunk[desk.row_ranks[i]] == chunk:
                desk.part_ranks[end] = desk.row_ranks[i]
                end += 1
        desk.steps[USED] += desk.row_first[row + 1] - desk.row_first[row]
        if end - desk.part_first[parts] > 1:
            parts += 1
            desk.part_first[parts] = end
    return parts


@inner
def merge_rows(desk, parts, k):
    """Stack one of equal parts, with their number as weight, light ones (below k) first; return (light ones, all)."""
    for part in range(parts):
        desk.lengths[part] = desk.part_first[part + 1] - desk.part_first[part]
        desk.sequence[part] = part
    sort_subrecords(desk.part_ranks, desk.part_first, desk.lengths, desk.sequence, desk.spare, 0, parts)
    rows, previous = 0, np.int64(-1)
    for i in range(parts):
        this = desk.sequence[i]
        a, a_end = desk.part_first[this], desk.part_first[this + 1]
        if previous >= 0:
            b, b_end = desk.part_first[previous], desk.part_first[previous + 1]
            if compare_lists(desk.part_ranks, a, a_end, b, b_end) == 0:
                desk.weights[previous] += 1
                continue
        desk.weights[this], desk.stack[rows] = 1, this
        rows += 1
        previous = this
    light = 0
    for p in range(rows):
        if desk.weights[desk.stack[p]] < k:
            desk.stack[light], desk.stack[p] = desk.stack[p], desk.stack[light]
            light += 1
    return light, rows


@inner
def count_terms(desk, start, end, below, base):
    """Count the ranks smaller than `below` in the stacked rows; return (different ranks, records)."""
    found, records = 0, np.int64(0)
    for p in range(start, end):
        row = desk.stack[p]
        records += desk.weights[row]
        i = desk.part_first[row]
        while i < desk.part_first[row + 1] and desk.part_ranks[i] < below:
            rank = desk.part_ranks[i]
            if desk.hits[rank] == 0:
                desk.touched[base + found] = rank
                found += 1
            desk.hits[rank] += desk.weights[row]
            i += 1
        desk.steps[USED] += 1 + i - desk.part_first[row]
    return found, records


@inner
def insert(largest, filled, number, value):
    """Insert a value among the `number` largest, in descending order; return their number."""
    if filled == number and value <= largest[number - 1]:
        return filled
    if filled < number:
        filled += 1
    i = filled - 1
    while i > 0 and largest[i - 1] < value:
        largest[i] = largest[i - 1]
        i -= 1
    largest[i] = value
    return filled


@inner
def most_lost(desk, row, below, records, more, largest):
    """Return an upper bound on the records that `more` further ranks of a row remove."""
    filled = 0
    i = desk.part_first[row]
    while i < desk.part_first[row + 1] and desk.part_ranks[i] < below:
        lack = records - abs(desk.hits[desk.part_ranks[i]])
        if lack > 0:
            filled = insert(largest, filled, more, lack)
        i += 1
    desk.steps[USED] += i - desk.part_first[row]
    return largest[:filled].sum()


@inner
def drop_safe_rows(desk, start, light, below, records, k, more, largest):
    """Move the light rows that have no rare set with up to `more` further ranks behind the others. Returns the number
    of the others; their ranks, except those that all records have, are marked by negative hits."""
    p = start
    while p < start + light:
        row = desk.stack[p]
        if records - most_lost(desk, row, below, records, more, largest) >= k:
            light -= 1
            desk.stack[p], desk.stack[start + light] = desk.stack[start + light], row
            continue
        i = desk.part_first[row]
        while i < desk.part_first[row + 1] and desk.part_ranks[i] < below:
            hits = desk.hits[desk.part_ranks[i]]
            if 0 < hits < records:
                desk.hits[desk.part_ranks[i]] = -hits
            i += 1
        p += 1
    return light


@inner
def keep_marked(desk, base, found, records, more, largest):
    """Keep the marked ranks, with the remaining records, as those to continue with, and clear the hits. Returns their
    number, and how many records `more` of them remove at most."""
    kept, filled = 0, 0
    for i in range(found):
        rank = desk.touched[base + i]
        hits = desk.hits[rank]
        desk.hits[rank] = 0
        if hits < 0:
            desk.touched[base + kept] = rank
            desk.tally[base + kept] = -hits
            filled = insert(largest, filled, more, records + hits)
            kept += 1
    return kept, largest[:filled].sum()


@inner
def stack_rows_with(desk, chosen, start, light, end, free):
    """Stack, from `free` on, the rows from start to end that have a rank, light ones first; return (light, end)."""
    at, lighter = free, 0
    for p in range(start, end):
        row = desk.stack[p]
        if contains(desk.part_ranks, desk.part_first[row], desk.part_first[row + 1], chosen):
            desk.stack[at] = row
            at += 1
            if p < start + light:
                lighter += 1
    desk.steps[USED] += end - start
    return lighter, at


@inner
def sets_are_safe(desk, rank, below, chunk, k, m, height):
    """Test all itemsets of `rank` and two to m - 1 ranks of the chunk, all smaller than `below`: none may occur in 1 to
    k - 1 rows. The search is depth first over ever smaller ranks; a level has the rows with all chosen ranks and the
    ranks to continue with. Pairs must be safe already. After too many steps, no set counts as safe."""
    room = desk.touched.size // max(1, m - 1)
    begin = np.zeros(m, np.int64)  # level -> start of its rows in the stack
    finish = np.zeros(m, np.int64)
    light = np.zeros(m, np.int64)  # level -> number of its rows that may have a rare set
    cursor = np.zeros(m, np.int64)  # level -> next of its ranks to try
    found = np.zeros(m, np.int64)
    enough = np.zeros(m, np.int64)  # level -> with that many records, no larger set can be rare
    largest = np.zeros(m, np.int64)
    light[0], finish[0] = merge_rows(desk, cut_rows(desk, rank, below, chunk), k)
    if light[0] == 0:
        return True
    level, is_new = 0, True
    while level >= 0:
        base = level * room
        if is_new:
            is_new = False
            met, records = count_terms(desk, begin[level], finish[level], below, base)
            rare = desk.steps[USED] > desk.steps[MOST]
            for i in range(base, base + met):
                rare = rare or desk.hits[desk.touched[i]] < k
            if rare:
                for i in range(base, base + met):
                    desk.hits[desk.touched[i]] = 0
                return False
            more = m - 1 - level
            if more > 1:
                light[level] = drop_safe_rows(desk, begin[level], light[level], below, records, k, more, largest)
            else:
                light[level] = 0
            cursor[level] = 0
            found[level], lost = keep_marked(desk, base, met, records, max(1, more - 1), largest)
            enough[level] = k + lost
        if cursor[level] == found[level]:
            level -= 1
            continue
        at = base + cursor[level]
        cursor[level] += 1
        if desk.tally[at] >= enough[level]:
            continue
        below = np.int64(desk.touched[at])
        begin[level + 1] = (level + 1) * height
        light[level + 1], finish[level + 1] = stack_rows_with(
            desk, below, begin[level], light[level], finish[level], begin[level + 1]
        )
        if light[level + 1] > 0:
            level += 1
            is_new = True
    return True
