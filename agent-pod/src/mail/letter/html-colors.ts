/** Text of the colour of its ground: the author hides it from people, and programs read it. */

type Rgb = readonly [number, number, number];

export interface Colors {
  /** Undefined: not known. */
  readonly color: Rgb | undefined;
  readonly ground: Rgb | undefined;
}

export const WHITE_PAGE: Colors = { color: [0, 0, 0], ground: [255, 255, 255] };

/** Sum of the differences of three channels below which people see nothing. */
const UNSEEN_DIFFERENCE = 36;

const NAMED: Readonly<Record<string, Rgb>> = {
  white: [255, 255, 255],
  black: [0, 0, 0],
  snow: [255, 250, 250],
  ivory: [255, 255, 240],
  whitesmoke: [245, 245, 245],
  ghostwhite: [248, 248, 255],
  red: [255, 0, 0],
  blue: [0, 0, 255],
  green: [0, 128, 0],
  yellow: [255, 255, 0],
  gray: [128, 128, 128],
  grey: [128, 128, 128],
  silver: [192, 192, 192],
  navy: [0, 0, 128],
};

/** Colours within an element; what it does not say it takes from around it. */
export function colorsOf(
  attribs: Readonly<Record<string, string>>,
  outer: Colors,
): Colors & { readonly isUnseen: boolean } {
  const style = (attribs['style'] ?? '').slice(0, 4000).toLowerCase();
  const saidColor = declared(style, /(?:^|[;\s])color\s*:\s*([^;]+)/) ?? attribs['color'];
  const saidGround = declared(style, /(?:^|[;\s])background(?:-color)?\s*:\s*([^;]+)/) ?? attribs['bgcolor'];
  const color = saidColor === undefined ? outer.color : rgbOf(saidColor);
  const ground = saidGround === undefined ? outer.ground : rgbOf(saidGround);
  const isSaid = saidColor !== undefined || saidGround !== undefined;
  return { color, ground, isUnseen: isSaid && color !== undefined && ground !== undefined && isAlike(color, ground) };
}

function declared(style: string, pattern: RegExp): string | undefined {
  return pattern.exec(style)?.[1];
}

function isAlike(one: Rgb, other: Rgb): boolean {
  return one.reduce((sum, channel, index) => sum + Math.abs(channel - (other[index] ?? 0)), 0) < UNSEEN_DIFFERENCE;
}

function rgbOf(said: string): Rgb | undefined {
  const text = said.toLowerCase().replace('!important', '').trim();
  const [, long, short] = /^#?(?:([0-9a-f]{6})|([0-9a-f]{3}))$/.exec(text) ?? [];
  const digits = long ?? short?.replaceAll(/./g, '$&$&');
  if (digits !== undefined) {
    return [0, 2, 4].map((at) => Number.parseInt(digits.slice(at, at + 2), 16)) as unknown as Rgb;
  }
  const [, red, green, blue] = /^rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})/.exec(text) ?? [];
  if (red !== undefined && green !== undefined && blue !== undefined) return [Number(red), Number(green), Number(blue)];
  return NAMED[text];
}
