/**
 * An answer in XML: its XSD, its order of elements, an example written, a valid document read.
 *
 * I1  The XSD judges names, order, numbers of elements, and the bounds of what stands alone in an element or an attribute. All else
 *     is judged by the zod definition, which reads the value.
 */
import type { Json } from '@retainer/contract/std/canonical-json';
import type { AnswerSchema } from './answer-schema.ts';

/** One element as plain data: attributes and child elements by name, children always as lists. */
export interface XmlData {
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Readonly<Record<string, readonly XmlData[]>>;
  /** All text within, children included, trimmed. */
  readonly text: string;
}

export interface XmlLayout {
  /** The elements within each element that has any, in the order of the XSD. Elements that are no key contain text. */
  readonly elements: Readonly<Record<string, readonly string[]>>;
  /** The attributes of each element that has any. */
  readonly attributes: Readonly<Record<string, readonly string[]>>;
  /** The attributes whose values are `true` and `false`. */
  readonly booleans: ReadonlySet<string>;
}

/** A member of an object, and its name in XML. */
interface Part {
  readonly member: string;
  readonly name: string;
  readonly schema: AnswerSchema;
  readonly isRequired: boolean;
}

interface Parts {
  readonly attributes: readonly Part[];
  /** The member that is the text of the element itself. */
  readonly content?: Part;
  readonly elements: readonly Part[];
}

/** What tells objects apart, the constants, stands in XML as the name of the element. */
function partsOf({ properties = {}, required = [] }: AnswerSchema): Parts {
  const parts = Object.entries(properties)
    .filter(([, schema]) => schema.const === undefined)
    .map(([member, schema]) => {
      return { member, name: schema.element ?? member, schema, isRequired: required.includes(member) };
    });
  const at = (place: AnswerSchema['place']): readonly Part[] => parts.filter((it) => placeOf(it.schema) === place);
  const [content] = at('Content');
  return { attributes: at('Attribute'), ...(content === undefined ? {} : { content }), elements: at('Element') };
}

function placeOf({ place, type, enum: words }: AnswerSchema): NonNullable<AnswerSchema['place']> {
  return place ?? (type === 'boolean' || type === 'integer' || words !== undefined ? 'Attribute' : 'Element');
}

/** The elements that stand for a member: one name, or one for each of several objects. */
function namedIn({ name, schema }: Part): readonly (readonly [name: string, schema: AnswerSchema])[] {
  return schema.oneOf?.map((one) => [one.element ?? name, one] as const) ?? [[name, schema.items ?? schema]];
}

/** @param schema  of an object */
export function xsdOf(name: string, schema: AnswerSchema): string {
  return `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">${elementXsd(name, schema)}</xs:schema>`;
}

function elementXsd(name: string, schema: AnswerSchema, occurs = ''): string {
  const type = schema.type === 'object' ? objectXsd(partsOf(schema)) : textXsd(schema);
  return `<xs:element name="${name}"${occurs}>${type}</xs:element>`;
}

function objectXsd({ attributes, content, elements }: Parts): string {
  const own = attributes.map(
    ({ name, schema, isRequired }) =>
      `<xs:attribute name="${name}"${isRequired ? ' use="required"' : ''}>${textXsd(schema)}</xs:attribute>`,
  );
  const within =
    content === undefined
      ? `<xs:sequence>${elements.map(partXsd).join('')}</xs:sequence>${own.join('')}`
      : `<xs:simpleContent><xs:extension base="xs:string">${own.join('')}</xs:extension></xs:simpleContent>`;
  return `<xs:complexType>${within}</xs:complexType>`;
}

function partXsd(part: Part): string {
  const { schema, isRequired } = part;
  const { minItems = 0, maxItems = 'unbounded' } = schema;
  const [min, max] = schema.type === 'array' ? [isRequired ? minItems : 0, maxItems] : [isRequired ? 1 : 0, 1];
  const named = namedIn(part);
  if (named.length > 1) return `<xs:choice>${named.map(([name, one]) => elementXsd(name, one)).join('')}</xs:choice>`;
  return named.map(([name, one]) => elementXsd(name, one, ` minOccurs="${min}" maxOccurs="${max}"`)).join('');
}

function textXsd({ type, enum: words, ...bounds }: AnswerSchema): string {
  if (type === 'boolean') return restriction('token', 'enumeration', ['true', 'false']);
  if (words !== undefined) return restriction('token', 'enumeration', words);
  if (type === 'integer') return restriction('integer', 'Inclusive', [], [bounds.minimum, bounds.maximum]);
  return restriction('string', 'Length', [], [bounds.minLength, bounds.maxLength]);
}

function restriction(
  base: string,
  facet: string,
  values: readonly string[],
  [min, max]: readonly (number | undefined)[] = [],
): string {
  const facets = [
    ...values.map((value) => `<xs:${facet} value="${value}"/>`),
    ...(min === undefined ? [] : [`<xs:min${facet} value="${min}"/>`]),
    ...(max === undefined ? [] : [`<xs:max${facet} value="${max}"/>`]),
  ];
  return `<xs:simpleType><xs:restriction base="xs:${base}">${facets.join('')}</xs:restriction></xs:simpleType>`;
}

/** @param schema  of an object */
export function layoutOf(name: string, schema: AnswerSchema): XmlLayout {
  const { attributes, elements } = partsOf(schema);
  const named = elements.flatMap(namedIn);
  const within = named.filter(([, one]) => one.type === 'object').map(([inner, one]) => layoutOf(inner, one));
  const own = named.length === 0 ? {} : { [name]: named.map(([inner]) => inner) };
  const ownAttributes = attributes.length === 0 ? {} : { [name]: attributes.map((it) => it.name) };
  const booleans = attributes.filter((it) => it.schema.type === 'boolean').map((it) => it.name);
  return {
    elements: Object.assign(own, ...within.map((it) => it.elements)),
    attributes: Object.assign(ownAttributes, ...within.map((it) => it.attributes)),
    booleans: new Set([...booleans, ...within.flatMap((it) => [...it.booleans])]),
  };
}

/** @param value  as the schema has it */
export function xmlOf(name: string, schema: AnswerSchema, value: Json): string {
  return linesOf(name, schema, value).join('\n');
}

function linesOf(name: string, schema: AnswerSchema, value: Json): readonly string[] {
  if (schema.type !== 'object') return [`<${name}>${escaped(value)}</${name}>`];
  const { attributes, content, elements } = partsOf(schema);
  const members = value as Readonly<Record<string, Json>>;
  const own = attributes.flatMap((it) => {
    const given = members[it.member];
    return given === undefined ? [] : [` ${it.name}="${escaped(given).replaceAll('"', '&quot;')}"`];
  });
  const start = `<${name}${own.join('')}`;
  if (content !== undefined) return [`${start}>${escaped(members[content.member] ?? '')}</${name}>`];
  const lines = elements.flatMap((it) => linesWithin(it, members[it.member]));
  if (lines.length === 0) return [`${start}/>`];
  if (schema.isOneLine === true) return [`${start}>${lines.join('')}</${name}>`];
  return [`${start}>`, ...lines.map((line) => `  ${line}`), `</${name}>`];
}

function linesWithin(part: Part, value: Json | undefined): readonly string[] {
  if (value === undefined) return [];
  const values = Array.isArray(value) ? (value as readonly Json[]) : [value];
  return values.flatMap((one) => {
    const [name, schema] = namedIn(part).find(([, it]) => isOfKind(it, one)) ?? [part.name, part.schema];
    return linesOf(name, schema, one);
  });
}

function isOfKind(schema: AnswerSchema, value: Json): boolean {
  return Object.entries(constantsOf(schema)).every(([member, it]) => (value as Record<string, Json>)[member] === it);
}

function constantsOf({ properties = {} }: AnswerSchema): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([member, it]) => (it.const === undefined ? [] : [[member, it.const]])),
  );
}

/** A list in an attribute is its words with blanks between. */
function escaped(value: Json): string {
  const text = Array.isArray(value) ? value.join(' ') : value;
  return `${text as string}`.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** What a document says, for the zod definition to read. @param data  of a document that the XSD found valid */
export function valueIn(schema: AnswerSchema, { attributes, children, text }: XmlData): unknown {
  if (schema.type !== 'object') return scalarIn(schema, text);
  const parts = partsOf(schema);
  const own = parts.attributes.map(({ member, name, schema: it }) => [member, scalarIn(it, attributes[name])]);
  const content = parts.content === undefined ? [] : [[parts.content.member, text]];
  const within = parts.elements.map((part) => {
    const found = namedIn(part).flatMap(([name, one]) => (children[name] ?? []).map((it) => valueIn(one, it)));
    return [part.member, part.schema.type === 'array' && found.length > 0 ? found : found[0]];
  });
  const given = [...own, ...content, ...within].filter(([, it]) => it !== undefined);
  return { ...constantsOf(schema), ...Object.fromEntries(given) };
}

/** What is neither stays as it was written, for whoever says what is wrong. */
const WORDS_OF_BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

function scalarIn({ type }: AnswerSchema, text: string | undefined): unknown {
  if (text === undefined) return undefined;
  if (type === 'boolean') return WORDS_OF_BOOLEANS.get(text) ?? text;
  if (type === 'integer') return text === '' || Number.isNaN(Number(text)) ? text : Number(text);
  return type === 'array' ? text.split(/\s+/).filter((it) => it !== '') : text;
}

/** A place in the value, in the words of the XML: `subtask 2 criterion 1`. @param path  as zod gives it */
export function placeIn(schema: AnswerSchema, path: readonly PropertyKey[]): string {
  const names = namesIn(schema);
  const words = path.map((key) => (typeof key === 'number' ? key + 1 : (names[String(key)] ?? String(key))));
  return words.filter((it) => it !== '').join(' ');
}

/** How XML calls each member; empty for the text of an element itself. */
function namesIn({ properties = {}, items, oneOf = [] }: AnswerSchema): Readonly<Record<string, string>> {
  const members = Object.entries(properties);
  const own = members.map(([member, it]) => [member, it.place === 'Content' ? '' : (it.element ?? member)]);
  const inner = [...members.map(([, it]) => it), ...(items === undefined ? [] : [items]), ...oneOf];
  return Object.assign(Object.fromEntries(own), ...inner.map(namesIn));
}
