/** The version after a shown one, by the rules of semantic versioning: `1.5.0` and `2.0.0` after `1.4.2`. */

const NEXT =
  /(?<!\p{L})(?:next|following|upcoming|bump|raise|increment|becomes?|nächste|folgende|neue|erhöh|prochaine|suivante|incrément|siguiente|próxim[ao]|increment|volgende|verhoog|prossima|successiva|следующ|наступн|následující|następn)|次|下一|新しい|다음/iu;

const VERSION = /(?<![\d.])(\d{1,4})\.(\d{1,4})\.(\d{1,4})(?![\d.]*\d)/g;

/** @param sentence  around it: only who speaks of the next version computes one */
export function isNextVersion(told: string, sentence: string, texts: readonly string[]): boolean {
  const version = told.replace(/^v/i, '');
  if (!/^\d+\.\d+\.\d+$/.test(version) || !NEXT.test(sentence)) return false;
  return texts.some((text) => [...text.matchAll(VERSION)].some((it) => successorsOf(it.slice(1)).includes(version)));
}

function successorsOf(parts: readonly string[]): readonly string[] {
  const [major = 0, minor = 0, patch = 0] = parts.map(Number);
  return [`${major + 1}.0.0`, `${major}.${minor + 1}.0`, `${major}.${minor}.${patch + 1}`];
}
