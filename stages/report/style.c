/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a page looks: light, dark and on paper, from a phone's width up. The six colours of marks are
 * told apart by people who do not see all colours (they follow Okabe & Ito 2008), and are dark, or
 * light, enough for texts: contrast 4.5 or more with the background. tests/browser/check-page
 * computes it. */
#include "page.h"

#define LIGHT                                                                                      \
  "--bg:#fff;--fg:#1b1f24;--soft:#57606a;--line:#d0d7de;--card:#f6f8fa;--grid:#e4e8ec;"            \
  "--heat:#0067a5;--c1:#0067a5;--c2:#b84a00;--c3:#00755a;--c4:#9c3f7c;--c5:#7a5c00;--c6:#57606a"

#define DARK                                                                                       \
  "--bg:#14181d;--fg:#e6e9ed;--soft:#a3adb8;--line:#363f4a;--card:#1b2129;--grid:#262d36;"         \
  "--heat:#1f6fb0;--c1:#5ab4f0;--c2:#ff9e5e;--c3:#3cc9a0;--c4:#e79bc8;--c5:#e6c04d;--c6:#a3adb8"

/* Figures are printed, also in grey: marks have six steps of lightness (L* of CIELAB 28 to 65), and
 * the page's hues; texts keep its colours, which are dark enough to be read. */
#define PRINT_fg "#000"
#define PRINT_soft "#444b54"
#define PRINT_line "#b6bdc5"
#define PRINT_grid "#dfe3e7"
#define PRINT_heat "#00508c"
#define PRINT_1 "#00508c"
#define PRINT_2 "#dd6b10"
#define PRINT_3 "#008a64"
#define PRINT_4 "#7a1f5c"
#define PRINT_5 "#b99a12"
#define PRINT_6 "#5c646d"
#define PRINT_TEXT_1 "#00508c"
#define PRINT_TEXT_2 "#b84a00"
#define PRINT_TEXT_3 "#00755a"
#define PRINT_TEXT_4 "#7a1f5c"
#define PRINT_TEXT_5 "#7a5c00"
#define PRINT_TEXT_6 "#57606a"

#define ON_PAGE(name) "var(--" #name ")"
#define ON_PAGE_MARK(n) "var(--c" #n ")"
#define ON_PAPER(name) PRINT_##name
#define ON_PAPER_TEXT(n) PRINT_TEXT_##n

/* The marks of pictures. OF: a colour by name; MARK, TEXT: those of mark and text N. */
/* clang-format off */
#define MARK(n, MARK_OF, TEXT_OF)                                          \
  ".chart .c" #n "{stroke:" MARK_OF (n) "}"                                \
  ".chart rect.c" #n ",.chart circle.c" #n "{fill:" MARK_OF (n) ";stroke:none}" \
  ".chart text.c" #n "{fill:" TEXT_OF (n) ";stroke:none}\n"
#define MARKS(OF, MARK_OF, TEXT_OF, font)                                  \
  ".chart text{font-family:" font ";font-size:11px;fill:" OF (fg)          \
  ";font-variant-numeric:tabular-nums;unicode-bidi:isolate}\n"             \
  ".chart text.soft{fill:" OF (soft) "}\n"                                 \
  ".chart text.name{font-weight:600}\n"                                    \
  ".chart .grid{stroke:" OF (grid) "}\n"                                   \
  ".chart .axis{stroke:" OF (soft) "}\n"                                   \
  ".chart .frame{fill:none;stroke:" OF (line) "}\n"                        \
  ".chart .even{stroke:" OF (soft) ";stroke-dasharray:4 4}\n"              \
  ".chart .line{fill:none;stroke-width:2;stroke-linejoin:round}\n"         \
  ".chart .thin{fill:none;stroke-width:1;opacity:.45}\n"                   \
  ".chart .dashed{stroke-dasharray:5 3}\n"                                 \
  ".chart .span{stroke-width:2}\n"                                         \
  ".chart .heat{fill:" OF (heat) "}\n"                                     \
  ".chart .rest{fill:" MARK_OF (6) "}\n"                                   \
  ".chart .point{opacity:.55}\n"                                           \
  ".chart .faint{opacity:.3}\n"                                            \
  MARK (1, MARK_OF, TEXT_OF) MARK (2, MARK_OF, TEXT_OF)                    \
  MARK (3, MARK_OF, TEXT_OF) MARK (4, MARK_OF, TEXT_OF)                    \
  MARK (5, MARK_OF, TEXT_OF) MARK (6, MARK_OF, TEXT_OF)
/* clang-format on */

const char sl_figure_style[] = MARKS (
    ON_PAPER, ON_PAPER, ON_PAPER_TEXT,
    "Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif") ".chart .paper{fill:#fff}\n";

const char sl_style[]
    = ":root{color-scheme:light dark;" LIGHT "}\n"
      "@media (prefers-color-scheme:dark){:root{" DARK "}}\n"
      "*{box-sizing:border-box}\n"
      "body{margin:0 auto;max-width:76rem;padding:0 1rem 2rem;background:var(--bg);color:var(--fg);"
      "font:1rem/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;"
      "overflow-wrap:anywhere}\n"
      "h1{font-size:1.7rem;line-height:1.2;margin:1.5rem 0 .5rem}\n"
      "h2{font-size:1.3rem;margin:2.5rem 0 .5rem;padding-top:.75rem;border-top:1px solid "
      "var(--line)}\n"
      "h3{font-size:1.05rem;margin:1.75rem 0 .5rem}\n"
      "h4{font-size:1rem;margin:1.25rem 0 .5rem}\n"
      "p{margin:.5rem 0;max-width:46rem}\n"
      "a{color:var(--c1)}\n"
      ":focus-visible{outline:3px solid var(--c2);outline-offset:2px}\n"
      ".skip{position:absolute;left:-99rem;background:var(--bg);padding:.5rem}\n"
      ".skip:focus{left:1rem;top:1rem;z-index:1}\n"
      ".hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);"
      "white-space:nowrap}\n"
      "nav ul{display:flex;flex-wrap:wrap;gap:.25rem "
      "1rem;list-style:none;margin:.5rem 0;padding:0}\n"
      "nav a{display:inline-block;padding:.2rem 0}\n"
      ".soft{color:var(--soft)}\n"
      "code{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans "
      "Mono',monospace}\n"
      ".tag{display:inline-block;border:1px solid var(--line);border-radius:1rem;"
      "padding:0 .6rem;font-size:.8125rem;background:var(--card);margin:.1rem .25rem .1rem 0}\n"
      ".facts{display:flex;flex-wrap:wrap;gap:.5rem 2rem;margin:.75rem 0}\n"
      ".facts dt{color:var(--soft);font-size:.8125rem}\n"
      ".facts dd{margin:0;font-size:1.15rem;font-variant-numeric:tabular-nums}\n"
      ".grid{display:grid;gap:1.5rem;grid-template-columns:repeat(auto-fill,"
      "minmax(min(100%,21rem),1fr));align-items:start;margin:1rem 0}\n"
      "figure{margin:0;break-inside:avoid;min-width:0}\n"
      "figcaption{color:var(--soft);font-size:.8125rem;line-height:1.4;margin-top:.25rem}\n"
      "figcaption strong{unicode-bidi:isolate}\n"
      ".chart{display:block;width:100%;max-width:26rem;height:auto}\n" MARKS (
          ON_PAGE, ON_PAGE_MARK, ON_PAGE_MARK,
          "system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif") ".cards{display:"
                                                                                "grid;gap:.75rem;"
                                                                                "grid-template-"
                                                                                "columns:repeat("
                                                                                "auto-fill,minmax("
                                                                                "10rem,1fr));"
                                                                                "list-style:none;"
                                                                                "padding:0;margin:."
                                                                                "75rem 0}\n"
                                                                                ".cards "
                                                                                "li{background:var("
                                                                                "--card);border:"
                                                                                "1px solid "
                                                                                "var(--line);"
                                                                                "border-radius:."
                                                                                "5rem;"
                                                                                "padding:.6rem;"
                                                                                "break-inside:"
                                                                                "avoid;min-width:0}"
                                                                                "\n"
                                                                                ".cards "
                                                                                "img{display:block;"
                                                                                "margin:0 auto "
                                                                                ".4rem;width:96px;"
                                                                                "height:96px;"
                                                                                "object-fit:"
                                                                                "contain}\n"
                                                                                ".cards p{margin:0 "
                                                                                "0 "
                                                                                ".25rem;font-"
                                                                                "weight:600;font-"
                                                                                "size:.875rem}\n"
                                                                                ".cards p "
                                                                                "span{font-weight:"
                                                                                "400}\n"
                                                                                ".key{display:"
                                                                                "inline;width:12px;"
                                                                                "vertical-align:"
                                                                                "baseline}\n"
                                                                                "img.small{image-"
                                                                                "rendering:"
                                                                                "pixelated}\n"
                                                                                ".wide{overflow-x:"
                                                                                "auto;margin:1rem "
                                                                                "0}\n"
                                                                                "table{border-"
                                                                                "collapse:collapse;"
                                                                                "font-size:.875rem;"
                                                                                "font-variant-"
                                                                                "numeric:tabular-"
                                                                                "nums}\n"
                                                                                "caption{text-"
                                                                                "align:start;color:"
                                                                                "var(--soft);"
                                                                                "padding-bottom:."
                                                                                "4rem}\n"
                                                                                "caption "
                                                                                "span{display:"
                                                                                "block;position:"
                                                                                "sticky;left:0;max-"
                                                                                "width:min(46rem,"
                                                                                "calc(100vw - "
                                                                                "2rem))}\n"
                                                                                "th,td{text-align:"
                                                                                "start;padding:."
                                                                                "3rem .75rem .3rem "
                                                                                "0;border-bottom:"
                                                                                "1px solid "
                                                                                "var(--line);"
                                                                                "vertical-align:"
                                                                                "top;overflow-wrap:"
                                                                                "normal}\n"
                                                                                "thead "
                                                                                "th{white-space:"
                                                                                "nowrap}\n"
                                                                                "tbody "
                                                                                "th{font-weight:"
                                                                                "500}\n"
                                                                                "td "
                                                                                "img{display:block;"
                                                                                "width:48px;height:"
                                                                                "48px;object-fit:"
                                                                                "contain}\n"
                                                                                "th.n,td.n{text-"
                                                                                "align:end}\n"
                                                                                "td.t{min-width:"
                                                                                "7rem}\n"
                                                                                "details{margin:"
                                                                                "1rem 0}\n"
                                                                                "summary{cursor:"
                                                                                "pointer;color:var("
                                                                                "--c1);padding:."
                                                                                "25rem 0}\n"
                                                                                ".way{list-style:"
                                                                                "none;margin:1rem "
                                                                                "0;padding:0}\n"
                                                                                ".way "
                                                                                "li{position:"
                                                                                "relative;padding:."
                                                                                "25rem 0 "
                                                                                ".35rem;min-height:"
                                                                                "2.25rem;break-"
                                                                                "inside:avoid}\n"
                                                                                ".way "
                                                                                "svg{position:"
                                                                                "absolute;left:0;"
                                                                                "top:0;height:100%;"
                                                                                "pointer-events:"
                                                                                "none}\n"
                                                                                ".way path,.way "
                                                                                "line{stroke:var(--"
                                                                                "soft);stroke-"
                                                                                "width:2;fill:none}"
                                                                                "\n"
                                                                                ".way "
                                                                                "circle{fill:var(--"
                                                                                "bg);stroke:var(--"
                                                                                "c1);stroke-width:"
                                                                                "2}\n"
                                                                                ".way .source "
                                                                                "circle{stroke:var("
                                                                                "--c6)}\n"
                                                                                ".way .table "
                                                                                "circle{fill:var(--"
                                                                                "c1)}\n"
                                                                                ".way "
                                                                                ".soft{font-size:."
                                                                                "8125rem}\n"
                                                                                "footer{margin-top:"
                                                                                "3rem;border-top:"
                                                                                "1px solid "
                                                                                "var(--line);color:"
                                                                                "var(--soft);font-"
                                                                                "size:.8125rem}\n"
                                                                                "@media "
                                                                                "print{:root{" LIGHT
                                                                                "}body{max-width:"
                                                                                "none;font-size:"
                                                                                "10pt}nav,.skip{"
                                                                                "display:none}"
                                                                                "details::details-"
                                                                                "content{content-"
                                                                                "visibility:"
                                                                                "visible;display:"
                                                                                "block}.wide{"
                                                                                "overflow:visible}"
                                                                                "h2,"
                                                                                "h3,h4{break-after:"
                                                                                "avoid}}\n";
