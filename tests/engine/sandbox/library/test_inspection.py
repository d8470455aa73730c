"""``inspect.signature`` of what a program may derive from: names and plain defaults, as in PyTorch, and no functions."""

from gradflow.engine.run import run


def test_the_parameters_of_optimizers_and_layers_are_seen() -> None:
    program = (
        "import inspect, torch\n"
        "print('fused' in inspect.signature(torch.optim.AdamW).parameters)\n"
        "print(list(inspect.signature(torch.nn.Linear).parameters))\n"
        "print(inspect.signature(torch.optim.Adam).parameters['betas'].default)\n"
    )
    trace = run(program)
    assert trace.error is None
    names = ["in_features", "out_features", "bias", "device", "dtype"]
    assert trace.stdout == f"True\n{names}\n(0.9, 0.999)\n"


def test_a_builtin_type_stays_refused() -> None:
    trace = run("import inspect\ninspect.signature(type)")
    assert trace.error is not None
    assert trace.error.message.startswith("inspect.signature() of")
