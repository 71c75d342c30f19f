// Violates no-restricted-globals: pure folders start no timer.
export const remind = (tell: () => void): unknown => setTimeout(tell, 1000);
