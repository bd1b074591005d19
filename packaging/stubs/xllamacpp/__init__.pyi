# What rillet uses of xllamacpp, a native module without types of its own.

class _Model:
    path: str

class _CpuParams:
    n_threads: int

class _Sampling:
    temp: float
    top_p: float
    penalty_repeat: float

class CommonParams:
    sampling: _Sampling
    n_predict: int
    chat_template: str
    model: _Model
    model_alias: set[str]
    api_keys: list[str]
    hostnames: list[str]
    port: int
    n_ctx: int
    n_parallel: int
    cpuparams: _CpuParams
    cpuparams_batch: _CpuParams
    cors_origins: str
    ui: bool
    endpoint_slots: bool
    cache_ram_mib: int
    verbosity: int

class Server:
    listening_address: str
    def __init__(self, params: CommonParams) -> None: ...
