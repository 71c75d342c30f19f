/**
 * Looks at open work at an interval and records what its health is: which subjects, and for which of them a new plan is suggested, says
 * `forecasts-due.ts`. It asks no model and begins nothing.
 */
import type { Agent } from '@retainer/contract/api/agent';
import { durationMs } from '@retainer/contract/api/fields';
import type { Clock } from '@retainer/contract/std/clock';
import { recordIn } from '@retainer/mind/part/record-in';
import { forecastsDue } from '@retainer/mind/parts/work/forecasts-due';
import { workStore } from '@retainer/mind/parts/work/store';
import type { Component } from '../../ports/component.ts';
import type { JobRunsPort } from '../../ports/job-runs.ts';
import type { PartsPort } from '../../ports/tool.ts';

interface Forecasting {
  readonly clock: Clock;
  readonly agent: Pick<Agent['spec'], 'upkeep'>;
  readonly parts: PartsPort;
  readonly jobs: Pick<JobRunsPort, 'isWorking'>;
}

/** None for an Agent that does not want it. */
export function forecaster({ clock, agent, parts, jobs }: Forecasting): readonly Component[] {
  const { enabled, interval, replanThreshold } = agent.upkeep.forecaster;
  if (!enabled) return [];
  const look = async (): Promise<void> => {
    const due = forecastsDue(parts.known().work, clock.nowMs(), replanThreshold);
    await parts.write(
      due.map(({ breakdown, ...it }) => recordIn(workStore, 'ForecastScored', { ...it, breakdown: [...breakdown] })),
    );
  };
  return [
    {
      name: 'forecaster',
      restart: 'Permanent',
      run: async (signal) => {
        while (!signal.aborted) {
          // An aborted sleep rejects; the loop's condition ends it.
          await clock.sleep(durationMs(interval), signal).catch(() => undefined);
          if (!signal.aborted && jobs.isWorking()) await look();
        }
      },
    },
  ];
}
