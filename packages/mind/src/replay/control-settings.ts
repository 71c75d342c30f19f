/** Parses and applies changed settings of the control loop from the command line: `control.thresholds.delta=0.2`. */
import { AgentControl, maxReplansOf } from '@retainer/contract/api/agent-control';
import { structuralSchema } from '@retainer/contract/api/crd';
import { KIND_DEFINITIONS } from '@retainer/contract/api/kinds';
import { fieldSchema, ruleCheck, type RuleCheck } from '@retainer/contract/manifest/cel-rules';
import { invariant } from '@retainer/contract/std/invariant';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { alterEvent, jsonOrText } from './alter-event.ts';

export interface ControlSetting {
  /** Below `control`. */
  readonly path: readonly string[];
  readonly value: unknown;
}

const FORM = 'control.PATH=VALUE, such as control.thresholds.delta=0.2';

/** The value is JSON, or text when it is not. */
export function parseControlSetting(text: string): Result<ControlSetting, string> {
  const match = /^control\.([^=]{1,200})=(.*)$/s.exec(text);
  if (match === null) return err(`${JSON.stringify(text)} is not a setting; use the form ${FORM}`);
  const [, path = '', value = ''] = match;
  return ok({ path: path.split('.'), value: jsonOrText(value) });
}

/** @returns the settings, checked as those of an Agent are; the error names the path, the value and the allowed values */
export function applyControlSettings(
  control: AgentControl,
  settings: readonly ControlSetting[],
): Result<AgentControl, string> {
  const isNamed = settings.some(({ path: [name] }) => name === 'maxReplans');
  let changed: AgentControl = isNamed ? { ...control, maxReplans: maxReplansOf(control) } : control;
  for (const { path, value } of settings) {
    const altered = alterEvent(changed, path, value);
    if (!altered.ok) return err(`control.${path.join('.')}: ${altered.error}`);
    changed = altered.value;
  }
  const parsed = AgentControl.safeParse(changed);
  const faults = parsed.success
    ? controlRules()(parsed.data).map(({ path, rule }) => ({ path, message: rule.message }))
    : parsed.error.issues;
  if (parsed.success && faults.length === 0) return ok(parsed.data);
  return err(faults.map(({ path, message }) => `${['control', ...path].join('.')}: ${message}`).join('; '));
}

/** The rules of the API server beyond the types of the fields. */
function controlRules(): RuleCheck {
  const spec = fieldSchema(structuralSchema(KIND_DEFINITIONS.Agent), 'spec');
  const control = spec === undefined ? undefined : fieldSchema(spec, 'control');
  invariant(control !== undefined, 'an Agent has settings of the control loop');
  return ruleCheck(control);
}
