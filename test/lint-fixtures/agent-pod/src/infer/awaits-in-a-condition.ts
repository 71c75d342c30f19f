// Violates typescript(no-misused-promises): a promise is always true.
const isReady = async (): Promise<boolean> => false;

export const state = (): string => (isReady() ? 'ready' : 'waiting');
