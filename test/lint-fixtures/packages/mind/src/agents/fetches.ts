// Violates no-restricted-globals: pure folders call nobody.
export const page = (url: string): unknown => fetch(url);
