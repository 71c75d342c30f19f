// Violates no-restricted-globals: thinking runs in a browser too, where there is no Buffer.
export const sizeBytes = (text: string): number => Buffer.byteLength(text);
