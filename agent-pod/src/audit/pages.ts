import type { Page, Routes } from '@retainer/kube/listen';

export interface PageSource {
  metrics(): string;
  /** The present report on runs. JSON. */
  report(): object;
  /** The reason why the auditor is not working; undefined when it is. Alarms do not make it unhealthy. */
  unwell(): string | undefined;
}

/** `/metrics`, `/healthz` and `/report` of the auditor. */
export function auditorPages(source: PageSource): Routes {
  return {
    '/metrics': () => page('text/plain; version=0.0.4; charset=utf-8', source.metrics()),
    '/healthz': () => {
      const unwell = source.unwell();
      return page('text/plain', `${unwell ?? 'ok'}\n`, unwell === undefined ? 200 : 503);
    },
    '/report': () => page('application/json', `${JSON.stringify(source.report())}\n`),
  };
}

function page(contentType: string, body: string, status = 200): Page {
  return { status, contentType, body };
}
