/** The value of a JSON text; undefined where the text is no JSON, which no JSON text is. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
