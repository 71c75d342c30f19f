// Violates eqeqeq: equal means equal.
export const isOne = (value: unknown): boolean => value == 1;
