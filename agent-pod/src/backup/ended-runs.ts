/** Finds which runs ended in a piece of the record. Pure. */

const IN_RUN_STORE = /^journal\/run\//;
const ENDED = '"kind":"RunClosed"';
const runId = /"runId":("(?:[^"\\]|\\.)*")/;

/** @param path  of the piece, in the repository */
export function runsEndedIn(path: string, bytes: Uint8Array): readonly string[] {
  if (!IN_RUN_STORE.test(path)) return [];
  const lines = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8').split('\n');
  return lines.flatMap((line) => {
    if (!line.includes(ENDED)) return [];
    const [, text] = runId.exec(line) ?? [];
    // A message is read by its lines.
    return text === undefined || /\\n|\s/.test(text) ? [] : [JSON.parse(text) as string];
  });
}
