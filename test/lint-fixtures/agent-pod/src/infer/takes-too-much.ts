// Violates max-params: five things to pass are an object to name.
export const sum = (a: number, b: number, c: number, d: number, e: number): number => a + b + c + d + e;
