// Violates no-restricted-properties: pure folders draw no random numbers.
export const callId = (): string => `call-${Math.random()}`;
