/** What commands print with: results to standard output, progress to standard error. */
import { Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { styleText } from 'node:util';
import { printable, printableLines } from '@retainer/contract/std/printable';
import type { StoryLine, Tone } from '@retainer/mind/part/story';
import { standard } from './standard-stream.ts';

/** `-o json` prints data for programs, else text for people. */
export type OutputFormat = 'text' | 'json';

export interface Output {
  readonly format: OutputFormat;
  /** A line of the result. Nothing in the format `json`. */
  line(text: string, tone?: Tone): void;
  lines(lines: readonly StoryLine[]): void;
  /** A line about progress: standard error, in both formats. */
  note(text: string, tone?: Tone): void;
  /** The result for programs; nothing in the format `text`. */
  data(value: unknown): void;
  /** One of many results, on one line of JSON. */
  dataLine(value: unknown): void;
  error(text: string): void;
  /** Whether results are coloured. */
  readonly hasColour: boolean;
  /** Takes what another program prints in place of this one. Colours pass, nothing else that steers a terminal. */
  foreign(): { readonly out: Writable; readonly err: Writable };
}

const styles = {
  Plain: undefined,
  Quiet: 'gray',
  Good: 'green',
  Warning: 'yellow',
  Bad: 'red',
} as const satisfies Record<Tone, 'gray' | 'green' | 'yellow' | 'red' | undefined>;

/** @param colour  undefined: where the stream is a terminal */
export function createOutput(format: OutputFormat, colour: boolean | undefined): Output {
  standard.out.guard();
  standard.err.guard();
  const onOut = colour ?? process.stdout.isTTY;
  const onError = colour ?? process.stderr.isTTY;
  const toOut = (text: string): void => standard.out.write(`${text}\n`);
  const toErr = (text: string): void => standard.err.write(`${text}\n`);
  const line = (text: string, tone: Tone = 'Plain'): void => {
    if (format === 'text') toOut(painted(text, tone, onOut));
  };
  return {
    format,
    line,
    lines: (lines) => lines.forEach(({ text, tone }) => line(text, tone)),
    note: (text, tone = 'Plain') => toErr(painted(text, tone, onError)),
    data: (value) => {
      if (format === 'json') toOut(JSON.stringify(value, undefined, 2));
    },
    dataLine: (value) => {
      if (format === 'json') toOut(JSON.stringify(value));
    },
    error: (text) => toErr(painted(text, 'Bad', onError)),
    hasColour: onOut,
    foreign: () => ({
      // Data for programs pass as they are: escaping could break them.
      out: lineStream((text) => toOut(format === 'json' ? text : harmless(text))),
      err: lineStream((text) => toErr(harmless(text))),
    }),
  };
}

function lineStream(print: (line: string) => void): Writable {
  const decoder = new StringDecoder('utf8');
  let begun = '';
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      const lines = `${begun}${decoder.write(chunk)}`.split('\n');
      begun = lines.pop() ?? '';
      for (const line of lines) print(line);
      done();
    },
    final: (done) => {
      if (begun !== '') print(begun);
      done();
    },
  });
}

/** A colour of our own palette, or its end (SGR of ECMA-48). */
const COLOUR = /(\u001B\[\d{1,2}m)/;

function harmless(line: string): string {
  return line
    .split(COLOUR)
    .map((part) => (COLOUR.test(part) ? part : printable(part)))
    .join('');
}

function painted(text: string, tone: Tone, hasColour: boolean): string {
  const style = styles[tone];
  const visible = visibleText(text);
  return style === undefined || !hasColour || text === ''
    ? visible
    : styleText(style, visible, { validateStream: false });
}

/** A model's or tool's text must not control the terminal: this escapes characters that steer it, hide text or reverse it. */
function visibleText(text: string): string {
  return printableLines(text).join('\n');
}
