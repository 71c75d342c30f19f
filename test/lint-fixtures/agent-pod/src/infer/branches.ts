// Violates complexity: what has so many branches is a table.
export function grade(n: number): string {
  if (n > 12) return 'a';
  if (n > 11) return 'b';
  if (n > 10) return 'c';
  if (n > 9) return 'd';
  if (n > 8) return 'e';
  if (n > 7) return 'f';
  if (n > 6) return 'g';
  if (n > 5) return 'h';
  if (n > 4) return 'i';
  if (n > 3) return 'j';
  if (n > 2) return 'k';
  if (n > 1) return 'l';
  return 'm';
}
