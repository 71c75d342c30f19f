// Violates no-restricted-globals: pure folders make no promise.
export const later = (value: string): unknown => Promise.resolve(value);
