/* page_style: the style sheet of a page. */
#ifndef SLUICE_REPORTS_PAGE_STYLE_H
#define SLUICE_REPORTS_PAGE_STYLE_H

struct text;

/* Appends the rules that stand inside <style>. */
void page_style(struct text *to);

#endif
