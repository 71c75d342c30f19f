// Violates max-depth: what is nested deeper has a name of its own.
export function count(rows: readonly (readonly (readonly number[])[])[]): number {
  let found = 0;
  for (const row of rows) {
    for (const cells of row) {
      for (const cell of cells) {
        if (cell > 0) found += 1;
      }
    }
  }
  return found;
}
