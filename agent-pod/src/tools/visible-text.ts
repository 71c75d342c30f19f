/**
 * The text that a person would see on a page. Hidden text is not for people, so it is not for the model either.
 *
 * Source: reliability-security 5 (70 % of injections found in the wild are hidden from view).
 */
import { runInNewContext } from 'node:vm';
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { Formatter, HtmlElement } from 'html-to-text';

const MAX_HTML_CHARACTERS = 1024 * 1024;

/**
 * Parsing blocks everything else, and malicious pages can make its time grow with the square of their size. A page that
 * takes longer is refused; now and then this hits an honest, unusually large page.
 */
const MAX_PARSE_MS = 1500;
const LIMITS = { maxDepth: 256, maxChildNodes: 20_000, ellipsis: '…' } as const;

const SKIPPED_ELEMENTS = [
  ...[
    'head',
    'title',
    'meta',
    'link',
    'style',
    'script',
    'noscript',
    'template',
    'svg',
    'math',
    'canvas',
    'object',
    'embed',
  ],
  ...[
    'iframe',
    'frame',
    'frameset',
    'noframes',
    'audio',
    'video',
    'img',
    'picture',
    'input',
    'textarea',
    'select',
    'datalist',
  ],
] as const;

/** Attributes that can hide an element, alone or through a style sheet. */
const TELLING_ATTRIBUTES = ['hidden', 'aria-hidden', 'style', 'class', 'id'] as const;

/** Declarations that hide, in the form of `normalizedCss`. */
const HIDING_DECLARATIONS: readonly RegExp[] = [
  /(^|;)display:none/,
  /(^|;)visibility:(hidden|collapse)/,
  /(^|;)content-visibility:hidden/,
  /(^|;)opacity:0*(\.0*)?%?(;|!|$)/,
  /(^|;)font(-size)?:0*(\.0+)?(px|em|rem|pt|%|vw|vh)?(;|!|$)/,
  /(^|;)font-size:0*[01]?(\.\d+)?px/,
  /(^|;)color:transparent/,
  /(^|;)text-indent:-\d{3,}/,
  /(^|;)(left|top|right|bottom|margin-left|margin-top):-\d{3,}/,
  /(^|;)clip:rect\([01](px)?[, ][01](px)?/,
  /(^|;)clip-path:(inset\((100|[5-9]\d)%|circle\(0)/,
  /(^|;)transform:[^;]*scale\(0/,
  /(^|;)(max-)?(width|height):[01]?(px)?(;|!|$).*overflow:hidden/,
  /(^|;)overflow:hidden.*;(max-)?(width|height):[01]?(px)?(;|!|$)/,
];

/** Characters that show nothing or turn the direction of reading. Joined emoji fall apart; that is the lesser loss. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

export interface VisibleText {
  readonly text: string;
  /** What was removed, for the model and the record; empty when nothing was. */
  readonly removed: readonly string[];
}

/** @returns  the error is the end of a sentence about the page */
export async function visibleTextOfHtml(html: string): Promise<Result<VisibleText, string>> {
  // Heavy, and most agents never fetch: loaded on first use.
  const { convert } = await import('html-to-text');
  const cut = html.slice(0, MAX_HTML_CHARACTERS);
  const source = cut.replace(INVISIBLE, '');
  const hidingNames = hidingSelectors(source);
  let hidden = 0;
  const screened: Formatter = (element, walk, builder) => {
    if (isHidden(element, hidingNames)) {
      hidden += 1;
      return;
    }
    for (const name of TELLING_ATTRIBUTES) delete element.attribs[name];
    walk([element], builder);
  };
  const parsed = withinTime(() =>
    convert(source, {
      wordwrap: false,
      limits: LIMITS,
      formatters: { screened },
      selectors: [
        ...SKIPPED_ELEMENTS.map((selector) => ({ selector, format: 'skip' })),
        ...TELLING_ATTRIBUTES.map((name) => ({ selector: `[${name}]`, format: 'screened' })),
        { selector: 'a', options: { pathRewrite: webAddressOnly, hideLinkHrefIfSameAsText: true } },
      ],
    }),
  );
  if (!parsed.ok) return parsed;
  // Once more: character references can also spell these characters.
  const plain = parsed.value.replace(INVISIBLE, '');
  const invisible = cut.length - source.length + parsed.value.length - plain.length;
  const removed = [
    counted(hidden, 'hidden element'),
    counted(source.split('<!--').length - 1, 'comment'),
    counted(source.split(/<script[\s/>]/i).length - 1, 'script'),
    counted(invisible, 'invisible character'),
    html.length > cut.length ? `everything after ${MAX_HTML_CHARACTERS} characters` : undefined,
  ].filter((note) => note !== undefined);
  return ok({ text: plain, removed });
}

/** Runs a computation that may not end. The engine stops it; its leftovers are not used. */
function withinTime(compute: () => string): Result<string, string> {
  try {
    return ok(String(runInNewContext('compute()', { compute }, { timeout: MAX_PARSE_MS })));
  } catch (cause) {
    // The error comes from the other context, so it is not an instance of this context's Error.
    if (
      typeof cause === 'object' &&
      cause !== null &&
      'code' in cause &&
      cause.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
    ) {
      return err('is built in a way that takes too long to read');
    }
    throw cause;
  }
}

/** Plain text without characters that show nothing or turn the direction of reading. */
export function visibleTextOf(text: string): VisibleText {
  let removed = 0;
  const visible = text.replace(INVISIBLE, () => {
    removed += 1;
    return '';
  });
  const note = counted(removed, 'invisible character');
  return { text: visible, removed: note === undefined ? [] : [note] };
}

function counted(count: number, name: string): string | undefined {
  return count === 0 ? undefined : `${count} ${name}${count === 1 ? '' : 's'}`;
}

function webAddressOnly(target: string): string {
  return /^(https?:\/\/|\/|\.|#|[a-z0-9_-]+(\/|\.html?|$))/i.test(target) ? target : '';
}

export function isHidden({ name, attribs }: HtmlElement, hidingNames: ReadonlySet<string>): boolean {
  if ('hidden' in attribs || attribs['aria-hidden']?.trim().toLowerCase() === 'true') return true;
  if (isHidingCss(attribs['style'] ?? '')) return true;
  const classes = (attribs['class'] ?? '').split(/\s+/).map((className) => `.${className}`);
  return [...classes, `#${attribs['id'] ?? ''}`].some((it) => hidingNames.has(it) || hidingNames.has(`${name}${it}`));
}

/** Characters. No honest element has a longer style, and the check would take time growing with the square of the length. */
const MAX_STYLE_CHARACTERS = 4000;

function isHidingCss(declarations: string): boolean {
  if (declarations.length > MAX_STYLE_CHARACTERS) return true;
  const css = normalizedCss(declarations);
  return css !== '' && HIDING_DECLARATIONS.some((declaration) => declaration.test(css));
}

/** Lower case, without comments and without white space around punctuation, escapes resolved. */
function normalizedCss(css: string): string {
  return css
    .replace(/\/\*[^*]*\*+([^/*][^*]*\*+)*\//g, '')
    .replace(/\\([0-9a-f]{1,6})\s?/gi, (_match, digits: string) => fromHexadecimal(digits))
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/ ?([:;,()!]) ?/g, '$1')
    .trim();
}

function fromHexadecimal(digits: string): string {
  const code = Number.parseInt(digits, 16);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

/** Characters of style sheets within a page that are examined. */
const MAX_SHEET_CHARACTERS = 200_000;

/** Classes and ids that a style sheet within the page hides, as `.name`, `#name` or `element.name`. */
export function hidingSelectors(html: string): ReadonlySet<string> {
  const hiding = new Set<string>();
  const sheets = Array.from(html.matchAll(/<style[^>]{0,200}>([^<]{0,200000})/gi), (match) => match[1] ?? '').join(
    '\n',
  );
  for (const rule of sheets.slice(0, MAX_SHEET_CHARACTERS).matchAll(/([^{}]{1,500})\{([^{}]{1,2000})\}/g)) {
    if (!isHidingCss(rule[2] ?? '')) continue;
    for (const selector of (rule[1] ?? '').split(',')) {
      const last = /([a-z0-9]*[.#][\w-]+)\s*$/i.exec(selector)?.[1];
      if (last !== undefined) hiding.add(last);
    }
  }
  return hiding;
}
