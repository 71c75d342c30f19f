// Violates no-restricted-globals: pure folders have no clock.
export const isLate = (deadlineMs: number): boolean => Date.now() > deadlineMs;
