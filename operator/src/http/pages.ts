/** The pages for probes and scrapers. Pure except for the registry, which collects on request. */
import type { Page } from '@retainer/kube/listen';

/** @param reasons  why not; none means yes */
export function judged(reasons: readonly string[]): Page {
  const isWell = reasons.length === 0;
  return {
    status: isWell ? 200 : 503,
    contentType: 'application/json',
    body: `${JSON.stringify({ status: isWell ? 'ok' : 'failed', reasons })}\n`,
  };
}

export async function metricsPage(registry: {
  readonly contentType: string;
  metrics(): Promise<string>;
}): Promise<Page> {
  return { status: 200, contentType: registry.contentType, body: await registry.metrics() };
}
