import type { components } from './schema';

type Schemas = components['schemas'];

export type Accumulation = Schemas['Accumulation'];
export type Edge = Schemas['Edge'];
export type ErrorRecord = Schemas['ErrorRecord'];
export type Fix = Schemas['Fix'];
export type GradInput = Schemas['GradInput'];
export type Jacobian = Schemas['Jacobian'];
export type LocalJacobian = Schemas['LocalJacobian'];
export type NodeRecord = Schemas['NodeRecord'];
export type Note = Schemas['Note'];
export type OperandToken = Schemas['OperandToken'];
export type Pass = Schemas['Pass'];
export type Place = Schemas['Place'];
export type Region = Schemas['Region'];
export type Root = Schemas['Root'];
export type Rule = Schemas['Rule'];
export type Span = Schemas['Span'];
export type Step = Schemas['Step'];
export type TensorRecord = Schemas['TensorRecord'];
export type TensorVersion = Schemas['TensorVersion'];
export type Text = Schemas['Text'];
export type TexToken = Schemas['TexToken'];
export type Token = TexToken | OperandToken;
/** Something that the program did. */
export type TraceEvent = Trace['events'][number];
/** An event of one kind. */
export type EventOf<Kind extends TraceEvent['kind']> = Extract<TraceEvent, { kind: Kind }>;
export type Trace = Schemas['Trace'];
export type Value = Schemas['Value'];

/** An element of an array: a number, a boolean, or "NaN", "Infinity", "-Infinity". */
export type ArrayElement = boolean | number | string;

/** The body of POST /api/v1/trace; what is left out has the server's default. */
export type TraceRequest = Pick<Schemas['TraceRequest'], 'source'> & Partial<Schemas['TraceRequest']>;

/** A lesson with its steps, and what the list of lessons tells of one. */
export type Lesson = Schemas['Lesson'];
export type LessonHead = Schemas['LessonHead'];
export type LessonStep = Schemas['LessonStep'];
export type LessonRing = Schemas['Ring'];
/** What has to be true for a step of a lesson to be done. */
export type LessonCheck = Schemas['Check'];

/** A program of the gallery. */
export type Example = Schemas['ExampleProgram'];

/** What a program can call: `functions` are the paths under which it is found, such as `torch.Tensor.mm`. */
export type Operation = Schemas['Operation'];
