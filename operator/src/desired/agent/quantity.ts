const FACTORS: Readonly<Record<string, number>> = {
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** Bytes or cores; undefined if it is no quantity. Exact enough: a volume's sixteenth digit is below a byte. */
export function quantityValue(text: string): number | undefined {
  const [, digits, suffix, exponent] =
    /^([0-9]+(?:\.[0-9]*)?)(?:([mkMGTPE]|[KMGTPE]i)|e([0-9]{1,2}))?$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const factor = exponent === undefined ? (FACTORS[suffix ?? ''] ?? 1) : 10 ** Number(exponent);
  return Number(digits) * factor;
}

/** The greater of two quantities, the first where they are equal or cannot be compared. */
export function greaterQuantity(a: string, b: string): string {
  return (quantityValue(b) ?? 0) > (quantityValue(a) ?? 0) ? b : a;
}

/** The lesser of two quantities, the first where they are equal or cannot be compared. */
export function lesserQuantity(a: string, b: string): string {
  return (quantityValue(b) ?? Infinity) < (quantityValue(a) ?? Infinity) ? b : a;
}

const BINARY = ['Ei', 'Pi', 'Ti', 'Gi', 'Mi', 'Ki', ''] as const;
const DECIMAL = ['E', 'P', 'T', 'G', 'M', 'k', '', 'm'] as const;

/**
 * The quantity as the API server stores it: in the largest unit that leaves a whole number. A text that fits no unit stays
 * unchanged.
 *
 * Source: Kubernetes, `resource.Quantity`, canonical form.
 */
export function canonicalQuantity(text: string): string {
  const value = quantityValue(text);
  if (value === undefined || value === 0) return text;
  for (const unit of text.endsWith('i') ? BINARY : DECIMAL) {
    // Thousandths are multiplied: a tenth has no exact value to divide by.
    const amount = unit === 'm' ? value * 1000 : value / (FACTORS[unit] ?? 1);
    if (Number.isSafeInteger(amount)) return `${amount}${unit}`;
  }
  return text;
}
