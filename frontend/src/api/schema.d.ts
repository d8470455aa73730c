export interface components {
  schemas: {
    Span: { line: number; column: number; end_line: number; end_column: number };
    Corner: { shape: number[]; data: (boolean | number | string)[] };
    Summary: {
      min: boolean | number | string | null;
      max: boolean | number | string | null;
      mean: boolean | number | string | null;
      norm: boolean | number | string | null;
      nan: number;
      inf: number;
      corner: components['schemas']['Corner'];
    };
    Value: {
      shape: number[];
      dtype: string;
      data: (boolean | number | string)[] | null;
      summary: components['schemas']['Summary'] | null;
    };
    TensorRecord: {
      id: string;
      names: string[];
      expression: string;
      shape: number[];
      dtype: string;
      requires_grad: boolean;
      is_leaf: boolean;
      version: number;
      view_of: string | null;
      value: components['schemas']['Value'];
      grad: components['schemas']['Value'] | null;
      node: string | null;
      span: components['schemas']['Span'] | null;
      pass_id: string | null;
    };
    Saved: { name: string; tensor: string };
    Region: { shape: number[]; elements: number[] | null };
    NodeRecord: {
      id: string;
      kind: 'function' | 'constant' | 'copy_slices';
      op: string;
      symbol: string;
      grad_fn: string | null;
      inputs: string[];
      outputs: string[];
      attributes: Record<string, unknown>;
      saved: components['schemas']['Saved'][];
      formula: string;
      span: components['schemas']['Span'] | null;
      scope: string[];
      pass_id: string | null;
      region: components['schemas']['Region'] | null;
    };
    Edge: { id: string; source: string; target: string; tensor: string; input: number | null };
    TexToken: { tex: string; kind: 'tex' };
    OperandToken: {
      name: string;
      tex: string;
      role: 'value' | 'gradient';
      value: components['schemas']['Value'];
      tensor: string | null;
      transposed: boolean;
      kind: 'operand';
    };
    GradInput: {
      edge: string;
      value: components['schemas']['Value'];
      formula: string;
      numbers: string;
      tokens: (components['schemas']['TexToken'] | components['schemas']['OperandToken'])[];
      tree: unknown[] | null;
      expanded: components['schemas']['Value'] | null;
    };
    Step: {
      node: string;
      grad_outputs: (components['schemas']['Value'] | null)[];
      grad_inputs: components['schemas']['GradInput'][];
      freed: string[];
    };
    Accumulation: {
      tensor: string;
      before: components['schemas']['Value'] | null;
      incoming: components['schemas']['Value'];
      after: components['schemas']['Value'];
      step: number;
    };
    Root: { tensor: string; gradient: components['schemas']['Value']; argument: string | null };
    Jacobian: { shape: number[]; rows: (boolean | number | string)[][] };
    Pass: {
      id: string;
      kind: 'backward' | 'grad';
      root: string;
      gradient: components['schemas']['Value'];
      roots: components['schemas']['Root'][];
      span: components['schemas']['Span'] | null;
      gradient_span: components['schemas']['Span'] | null;
      retain_graph: boolean;
      create_graph: boolean;
      steps: components['schemas']['Step'][];
      gradients: { [key: string]: components['schemas']['Value'] };
      accumulations: components['schemas']['Accumulation'][];
      jacobian: { [key: string]: components['schemas']['Jacobian'] } | null;
      complete: boolean;
    };
    Text: { en: string; zh: string };
    Edit: { span: components['schemas']['Span']; text: string };
    Fix: { title: components['schemas']['Text']; edits: components['schemas']['Edit'][] };
    Frame: { function: string; span: components['schemas']['Span'] | null };
    ErrorRecord: {
      type: string;
      message: string;
      code: string;
      span: components['schemas']['Span'] | null;
      explanation: components['schemas']['Text'];
      fix: components['schemas']['Fix'] | null;
      tensor: string | null;
      frames: components['schemas']['Frame'][];
    };
    WarningRecord: { category: string; message: string; span: components['schemas']['Span'] | null };
    Trace: {
      source: string;
      stdout: string;
      error: components['schemas']['ErrorRecord'] | null;
      warnings: components['schemas']['WarningRecord'][];
      tensors: components['schemas']['TensorRecord'][];
      nodes: components['schemas']['NodeRecord'][];
      edges: components['schemas']['Edge'][];
      passes: components['schemas']['Pass'][];
      schema: number;
    };
  };
}
