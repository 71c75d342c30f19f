// Violates no-restricted-imports: a desired object is made from what was observed, not fetched.
import { ApiError } from '../kube/api-error.ts';

export const isApiError = (error: unknown): boolean => error instanceof ApiError;
