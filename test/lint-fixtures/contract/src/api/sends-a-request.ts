// Violates no-restricted-globals: nothing in contract/ does I/O.
export const ping = (url: string): unknown => fetch(url);
