/** Numbers and tables as people read them. Pure: no locale, no clock. */

/** `1,234,567`. */
export function renderCount(count: number): string {
  return String(Math.round(count)).replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',');
}

/** `1 call`, `3 calls`, `3 queries`. @param nouns  if it is irregular */
export function renderPlural(count: number, noun: string, nouns = `${noun.replace(/(?<![aeiou])y$/, 'ie')}s`): string {
  return `${renderCount(count)} ${count === 1 ? noun : nouns}`;
}

/** `41 ms`, `1.2 s`, `2 min 05 s`, `3 h 07 min`. */
export function renderDuration(durationMs: number): string {
  if (durationMs < 1000) return `${Math.round(durationMs)} ms`;
  if (durationMs < 60_000) return `${(durationMs / 1000).toFixed(1)} s`;
  if (durationMs < 3_600_000) return `${Math.floor(durationMs / 60_000)} min ${twoDigits((durationMs / 1000) % 60)} s`;
  return `${Math.floor(durationMs / 3_600_000)} h ${twoDigits((durationMs / 60_000) % 60)} min`;
}

/** `00:03.2`, for a column: minutes, seconds, tenths; hours in front where there are any. */
export function renderElapsed(elapsedMs: number): string {
  const tenths = Math.floor(Math.max(0, elapsedMs) / 100);
  const hours = Math.floor(tenths / 36_000);
  const minutes = twoDigits(Math.floor(tenths / 600) % 60);
  const seconds = `${twoDigits(Math.floor(tenths / 10) % 60)}.${tenths % 10}`;
  return hours > 0 ? `${hours}:${minutes}:${seconds}` : `${minutes}:${seconds}`;
}

/** `812 B`, `4.1 KiB`, `2.0 MiB`. */
export function renderSize(sizeBytes: number): string {
  if (sizeBytes < 1024) return `${sizeBytes} B`;
  if (sizeBytes < 1024 * 1024) return `${(sizeBytes / 1024).toFixed(1)} KiB`;
  return `${(sizeBytes / (1024 * 1024)).toFixed(1)} MiB`;
}

/** Cents are too coarse for single calls: `$0.0021`, `$1.25`. */
export function renderUsd(costUsd: number): string {
  return `$${costUsd < 1 ? costUsd.toFixed(4) : costUsd.toFixed(2)}`;
}

/** What calls cost. @param isComplete  whether the price of every call was known; a scripted model's is nothing */
export function renderCost(costUsd: number, isComplete: boolean): string {
  if (!isComplete) return costUsd > 0 ? `at least ${renderUsd(costUsd)} (some prices are unknown)` : 'cost unknown';
  return costUsd === 0 ? 'no cost' : renderUsd(costUsd);
}

/** Enough digits of a digest to compare by eye, whatever names its algorithm. */
export function shortDigest(digest: string): string {
  return digest.replace(/^sha256:/, '').slice(0, 12);
}

/** Of a loss: `0.50`. */
export function renderTwoDigits(value: number): string {
  return value.toFixed(2);
}

/** Of a change: `−0.25`, `+0.00`. */
export function renderSigned(value: number): string {
  return `${value < 0 ? '−' : '+'}${renderTwoDigits(Math.abs(value))}`;
}

export function firstLine(text: string, charactersMax: number): string {
  const [line = ''] = text.trim().split('\n', 1);
  const isWhole = line.length <= charactersMax && line.length === text.trim().length;
  return isWhole ? line : `${line.slice(0, charactersMax).trimEnd()} …`;
}

function twoDigits(value: number): string {
  return String(Math.floor(value)).padStart(2, '0');
}

/** Lines with one width for each column of the first row. @param gap  between two columns */
export function alignedRows(rows: readonly (readonly string[])[], gap: string): readonly string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((cells) => cells[at]?.length ?? 0)));
  return rows.map((cells) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join(gap)
      .trimEnd(),
  );
}

/** Shows scripts as scripts, not as JSON strings. */
export function argumentText(input: unknown): string {
  if (typeof input !== 'object' || input === null) return JSON.stringify(input);
  return Object.entries(input)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)}`)
    .join('\n');
}
