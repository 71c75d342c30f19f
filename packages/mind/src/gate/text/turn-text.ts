/** Two ways to disguise a text that keep its letters. Each is its own inverse. */

export function reversed(text: string): string {
  return Array.from(text).toReversed().join('');
}

const LETTERS = 26;

export function rot13(text: string): string {
  return text.replaceAll(/[a-z]/gi, (letter) => {
    const code = letter.charCodeAt(0);
    const first = code >= 0x61 ? 0x61 : 0x41;
    return String.fromCharCode(first + ((code - first + LETTERS / 2) % LETTERS));
  });
}
