/** The reason for a refused request, for the claimant. It holds nothing of the request's content. */
export interface Fault {
  readonly status: 400 | 401 | 404 | 409 | 413 | 502;
  /** Stable word. */
  readonly reason: string;
  readonly message: string;
}
