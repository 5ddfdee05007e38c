# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts the figures on fuzzing into docs/trust.md.

    figures.py ROOT REACHED PLACES INPUTS RUNS

REACHED has a line "address flag" for each block of code, those of sanitizers among them; PLACES its "file:line", INPUTS a folder a harness, RUNS a line
"harness inputs seconds" for each run."""
import collections
import os
import re
import sys

# Where what others made is read; of a folder all that lies below it.
ROOMS = ['pipeline/files', 'pipeline/table', 'pipeline/text', 'pipeline/command/provenance.c', 'schemas', 'stages/common/classes',
         'stages/common/files', 'stages/common/images', 'stages/common/priors', 'stages/common/tables', 'stages/history.c', 'stages/ingest/exports',
         'stages/ingest/features', 'stages/ingest/readers', 'stages/ingest/sets', 'stages/ingest/tables']


def room_of(place):
    """The room of a file: compilers name it from the folder that they were run in."""
    found = re.search(r'/((?:pipeline|schemas|stages)/.*):\d+', os.path.normpath(place.split(' ')[0]))
    return next((room for room in ROOMS if found and (found[1] == room or found[1].startswith(room + '/'))), None)


def lines(path):
    with open(path, encoding='utf-8') as text:
        return text.read().splitlines()


root, reached, places, inputs, runs = sys.argv[1:]
counted, seen = collections.defaultdict(set), collections.defaultdict(set)
flags = [line.split()[1] == '1' for line in lines(reached)]
where = lines(places)
if len(flags) != len(where):
    sys.exit(f'figures: {len(flags)} blocks, but {len(where)} places')
for flag, place in zip(flags, where):
    room = room_of(place)
    if room:
        counted[room].add(place)
        if flag:
            seen[room].add(place)
told = [line.split() for line in lines(runs)]
tried, hours = sum(int(n) for _, n, _ in told), sum(float(seconds) for *_, seconds in told) / 3600
kept = sum(len(files) for _, _, files in os.walk(inputs))
section = [f'{len({name for name, *_ in told})} harnesses have tried {tried:,} inputs in {hours:.1f} hours of a machine that had other work. {kept:,} inputs, seeds '
           'among them, are kept, as each reaches what no other does. Of the lines at which a block of code begins, in the rooms where what others made '
           'is read, they reach:', '', '| room | lines | reached |', '|---|---|---|']
section += [f'| `{room}` | {len(counted[room]):,} | {100 * len(seen[room]) / len(counted[room]):.0f} % |' for room in ROOMS]
page = os.path.join(root, 'docs/trust.md')
old = '\n'.join(lines(page)) + '\n'
new, n = re.subn(r'(<!-- fuzzing: [^>]*-->\n).*?(<!-- end of fuzzing)', lambda found: found[1] + '\n'.join(section) + '\n' + found[2], old, flags=re.S)
if n != 1:
    sys.exit('figures: docs/trust.md has no place for them')
with open(page, 'w', encoding='utf-8') as text:
    text.write(new)
