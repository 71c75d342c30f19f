/** An agent that does what its Task says, word by word: its model is a script that takes the code out of the intent. */
import type { RenderedObject } from '../../scripts/render-chart.ts';

export const PUPPET = 'puppet';
const API = 'retainer.dev/v1alpha1';

/** Each criterion is met, by the last call that succeeded. */
export const CITING_RULE = String.raw`  - name: verdicts on the evidence of the last call that succeeded
    when:
      role: agent-validator
      task: '(?s).*\ntool-call (?P<id>\S+) tool=(?P<tool>\S+) status=ok'
    answer:
      text:
        - "<attempt>\n"
        - each: { of: task, pattern: '(?m)^criterion (?P<number>\d+): (?P<text>.*)$' }
          text: |2
              <verdict criterion="{{each.number}}" met="true">
                <evidence>{{task.id|xml}}</evidence>
                <reason>The call succeeded.</reason>
              </verdict>
        - "</attempt>"`;

const SCRIPT = String.raw`
version: 1
rules:
  - name: run what the task says
    when:
      role: executor
      task: '(?s)RUN (?P<language>\w+) <<<(?P<script>.*?)>>>'
      results: [{ min: 0, max: 0 }]
      offers: [run_code]
    answer:
      text: I run it.
      calls: [{ tool: run_code, input: { language: '{{task.language}}', script: '{{task.script}}' } }]
  - name: remember what the task says
    when:
      role: executor
      task: 'REMEMBER (?P<key>[\w/]+) = (?P<value>\w+)'
      results: [{ min: 0, max: 0 }]
    answer:
      text: I keep it.
      calls: [{ tool: memory_write, input: { key: '{{task.key}}', value: '{{task.value}}' } }]
  - name: remember what was answered
    when:
      role: executor
      task: '(?s)ASK which colour.*COLOUR (?P<colour>\w+)'
      results: [{ min: 0, max: 0 }]
    answer:
      text: I keep it.
      calls: [{ tool: memory_write, input: { key: garden/color, value: '{{task.colour}}' } }]
  - name: recall what the task asks for
    when:
      role: executor
      task: 'RECALL (?P<key>[\w/]+)'
      results: [{ min: 0, max: 0 }]
    answer:
      text: I look it up.
      calls: [{ tool: memory_read, input: { prefix: '{{task.key}}' } }]
  - name: say what came back
    when: { role: executor, last: { text: '(?s)^(?P<what>.{0,1000})' } }
    answer: { text: 'It came back: {{last.what}}' }
  - name: a task that asks, and was answered
    when: { role: perceiver, task: '(?s)^The message:\s+ASK which colour.*answer 1: ' }
    answer:
      text: <perception><task slug="puppet" shape="SingleStep"><intent>Do what the answer says.</intent></task></perception>
  - name: a task that asks
    when: { role: perceiver, task: '^The message:\s+ASK which colour' }
    answer:
      text: <perception><question>Which colour?</question></perception>
  - name: every task is one step
    when: { role: perceiver }
    answer:
      text: <perception><task slug="puppet" shape="SingleStep"><intent>Do what the message says.</intent></task></perception>
${CITING_RULE}`;

export const puppetCharacter: RenderedObject = {
  apiVersion: API,
  kind: 'CharacterSpec',
  metadata: { name: 'obedient' },
  spec: {
    persona: 'You do what the task says.',
    authority: {
      alone: [
        {
          id: 'everything-here',
          description: 'It may use its own tools.',
          tools: ['run_code', 'memory_read', 'memory_write'],
          effectClass: 1,
        },
      ],
    },
    highestEndeavour: [
      { id: 'do-it', description: 'What is asked is done.', level: 'UserAutonomy', operator: 'Required' },
    ],
  },
};

const script: RenderedObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'puppet-script' },
  data: { 'script.yaml': SCRIPT },
};

/** @param spec  laid over the puppet's own */
export function puppetAgent(spec: Readonly<Record<string, unknown>> = {}): RenderedObject {
  return {
    apiVersion: API,
    kind: 'Agent',
    metadata: { name: PUPPET },
    spec: {
      characterRef: { name: puppetCharacter.metadata.name },
      models: { provider: 'Scripted', script: 'script.yaml', scriptConfigMapRef: { name: script.metadata.name } },
      memory: { storage: '1Gi' },
      // It does what it is told once: code that failed is not run again, and nobody plans anew.
      control: { maxReplans: 0, fastLoop: { maxRetries: 0 } },
      sandbox: {
        timeout: '60s',
        scratch: '64Mi',
        resources: { limits: { cpu: '1', memory: '192Mi', 'ephemeral-storage': '512Mi' } },
      },
      pod: { terminationGracePeriodSeconds: 10 },
      ...spec,
    },
  };
}

export function puppetObjects(spec: Readonly<Record<string, unknown>> = {}): readonly RenderedObject[] {
  return [puppetCharacter, script, puppetAgent(spec)];
}

/** @param intent  what {@link code}, `REMEMBER key = value` or `RECALL key` say */
export function puppetTask(name: string, intent: string, agent: string = PUPPET): RenderedObject {
  return {
    apiVersion: API,
    kind: 'Task',
    metadata: { name },
    spec: { agentRef: { name: agent }, intent, successCriteria: [{ text: 'It was done.' }] },
  };
}

/** An intent that runs this code, {@link asRun}; it must not hold `>>>`. */
export function code(language: 'bash' | 'javascript' | 'python', text: string): string {
  return `RUN ${language} <<<${text}>>>`;
}

/** Code as it is run: what people wrote is indented where the executor reads it. */
export function asRun(text: string): string {
  return text.replaceAll('\n', '\n  ');
}
