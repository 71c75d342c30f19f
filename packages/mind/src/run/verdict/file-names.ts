/**
 * Names of files in a text: those that look like one, and those that the record knows, whatever their form: `lock.pid`, `LICENSE`,
 * `my notes.txt`.
 */
import { claimsIn, type Claim } from './claims.ts';

/** A name in plain words could be a word: it has a dot in it, or all its letters are capitals. */
const LOOKS_LIKE_A_NAME =
  /^[^/]*[\p{L}\p{N}_)]\.[\p{L}\p{N}_-]+$|^\.[\p{L}_-]|^[\p{Lu}_]{4,}$|^(?:Make|Docker|Proc|Gem|Jenkins|Vagrant)file$/u;
const BESIDE = /[\p{L}\p{N}_@+-]/u;

/** @param paths  files that the record knows @returns claims of the text; a path of the record stands for what it covers */
export function claimsWithFiles(text: string, paths: readonly string[]): readonly Claim[] {
  const claims = claimsIn(text);
  const named = namesOf(paths).flatMap((name) => placesOf(text, name));
  const longest = named.filter((it) => !named.some((other) => other !== it && covers(other, it)));
  const fresh = longest.filter((it) => !claims.some((claim) => isPlace(claim) && covers(claim, it)));
  if (fresh.length === 0) return claims;
  return [...claims.filter((claim) => !fresh.some((it) => meets(it, claim))), ...fresh];
}

function isPlace({ kind }: Claim): boolean {
  return kind === 'Path' || kind === 'Url';
}

function namesOf(paths: readonly string[]): readonly string[] {
  const bare = paths.map((it) => it.split('/').at(-1) ?? it).filter((it) => LOOKS_LIKE_A_NAME.test(it));
  return [...new Set([...paths.filter((it) => it.includes('/') || LOOKS_LIKE_A_NAME.test(it)), ...bare])];
}

type Place = Extract<Claim, { kind: 'Url' | 'Path' }>;

function placesOf(text: string, name: string): readonly Place[] {
  const found: Place[] = [];
  for (let start = text.indexOf(name); start >= 0; start = text.indexOf(name, start + 1)) {
    const behind = text.slice(start + name.length, start + name.length + 2);
    const isApart = !BESIDE.test(text.charAt(start - 1)) && !/[./]/.test(text.charAt(start - 1));
    if (isApart && !BESIDE.test(behind.charAt(0)) && !/^[./][\p{L}\p{N}]/u.test(behind))
      found.push({ kind: 'Path', text: name, start });
  }
  return found;
}

function covers(one: Claim, other: Claim): boolean {
  return one.start <= other.start && one.start + one.text.length >= other.start + other.text.length;
}

function meets(one: Claim, other: Claim): boolean {
  return one.start < other.start + other.text.length && other.start < one.start + one.text.length;
}
