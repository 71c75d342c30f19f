// Violates typescript(no-non-null-assertion): a hole is handled, not denied.
export const first = (lines: readonly string[]): string => lines[0]!;
