# SPDX-License-Identifier: GPL-3.0-or-later
"""What a notebook shows of a table: its first rows, with bars for distributions."""
import html

ROWS, SHOWN, COLUMNS = 8, 3, 12

# The first five of Okabe and Ito's colours, as the report has them, and four more; the tenth is all others'.
LIGHT = "--c1:#0067a5;--c2:#b84a00;--c3:#00755a;--c4:#9c3f7c;--c5:#7a5c00;--c6:#a51d2d;--c7:#5b3ea8;--c8:#00697a;--c9:#3f6212;--c10:#57606a;--rest:#d0d7de"
DARK = "--c1:#5ab4f0;--c2:#ff9e5e;--c3:#3cc9a0;--c4:#e79bc8;--c5:#e6c04d;--c6:#ff8a8a;--c7:#b9a3ff;--c8:#4fd0e0;--c9:#a3d977;--c10:#a3adb8;--rest:#363f4a"
COLOURS = 10
STYLE = f"""<style>
.softlabel{{{LIGHT};font:14px/1.45 system-ui,sans-serif}}
@media (prefers-color-scheme:dark){{.softlabel{{{DARK}}}}}
[data-jp-theme-light="true"] .softlabel{{{LIGHT}}}
[data-jp-theme-light="false"] .softlabel{{{DARK}}}
.softlabel table{{border-collapse:collapse;margin:.4em 0!important}}
.softlabel table th,.softlabel table td{{text-align:left!important;padding:.15em .9em .15em 0!important;border:0;max-width:28em;overflow-wrap:normal}}
.softlabel table th{{font-weight:600;opacity:.75}}
.softlabel table td.n{{text-align:right!important;font-variant-numeric:tabular-nums}}
.softlabel table td.d{{white-space:nowrap;max-width:none}}
.softlabel .bar{{display:inline-flex;width:14em;height:1em;vertical-align:-.15em;margin-right:.8em;border-radius:2px;overflow:hidden;background:var(--rest)}}
.softlabel .soft{{opacity:.7}}
</style>"""


def frame(page):
    """A whole page inside of a notebook, apart from its styles."""
    return f'<iframe srcdoc="{html.escape(page)}" style="width:100%;height:46em;border:1px solid #8884;border-radius:4px" title="softlabel report"></iframe>'


def colour(place):
    """Of the class at PLACE among a table's."""
    return f"var(--c{min(place, COLOURS - 1) + 1})"


def bar(shares, classes):
    """A distribution as a bar, the largest classes first, and those in words."""
    order = sorted(range(len(shares)), key=lambda k: -shares[k])
    parts = [f'<span style="width:{100 * shares[k]:.2f}%;background:{colour(k)}" title="{html.escape(classes[k])} {shares[k]:.3f}"></span>'
             for k in order if shares[k] >= .005]
    told = [f'<span style="color:{colour(k)}">{html.escape(classes[k])}</span> {shares[k]:.2f}' for k in order[:SHOWN] if shares[k] >= .005]
    return f'<span class="bar">{"".join(parts)}</span>' + " &nbsp;".join(told)


def cell(value, classes):
    """A value as a cell of a table."""
    if isinstance(value, list) and classes and len(value) == len(classes) and all(isinstance(v, float) and 0 <= v <= 1 for v in value):
        return f'<td class="d">{bar(value, classes)}</td>'
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f'<td class="n">{value:{"," if isinstance(value, int) else ".4g"}}</td>'
    if isinstance(value, list):
        members = [" ".join(str(part) for part in v.values() if part is not None) if isinstance(v, dict) else str(v) for v in value[:5]]
        value = ", ".join(members) + (" …" if len(value) > 5 else "")
    return f"<td>{html.escape('' if value is None else str(value))}</td>"


def table(of):
    """The first rows of a softlabel.Table."""
    made, classes = of.to_arrow(), of.classes
    names = made.column_names[:COLUMNS]
    told = [f"<b>{html.escape(of.kind or 'table')}</b>", f"{len(made):,} row{'s' * (len(made) != 1)}"]
    told += [f"{len(classes)} classes: {html.escape(', '.join(classes[:10]))}{' …' * (len(classes) > 10)}"] if classes else []
    told += [html.escape(f"{key}={value}") for key, value in of.tags.items()]
    rows = ["".join(cell(row[name], classes) for name in names) for row in made.slice(0, ROWS).select(names).to_pylist()]
    more = f'<div class="soft">… {len(made) - ROWS:,} more rows</div>' if len(made) > ROWS else ""
    heads = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    return (f'<div class="softlabel">{STYLE}<div>{" · ".join(told)}</div><table><thead><tr>{heads}</tr></thead><tbody>'
            f'{"".join(f"<tr>{row}</tr>" for row in rows)}</tbody></table>{more}</div>')
