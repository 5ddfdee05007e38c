# SPDX-License-Identifier: GPL-3.0-or-later
# Made by python/make-stub.
from os import PathLike
from pathlib import Path
from typing import Any, Dict, List, Literal, TypedDict, Union

import pyarrow as pa
from typing_extensions import Unpack

__version__: str

class Error(Exception):
    status: Union[int, None]

class _Common(TypedDict, total=False):
    output: Union[str, PathLike, bool]
    partition_by: Any
    rows_per_file: int
    format: Literal['auto', 'arrows', 'arrow', 'parquet', 'csv', 'jsonl', 'table']
    if_changed: bool
    cache: Any
    shard: Any
    threads: int
    seed: int
    max_memory: Union[int, str]
    run_log: Union[str, PathLike, bool]
    run_metrics: Union[str, PathLike, bool]
    sandbox: Literal['auto', 'on', 'off']
    quiet: bool
    verbose: bool
    progress: bool
    tag: Any
    no_provenance: bool
    no_digest: bool

class Text(str):
    """What a stage prints, shown as it is."""

class Bytes(bytes):
    """What a stage makes that is no table: a model, a page. A later stage takes it as it is."""
    def save(self, path) -> None: ...
    def __repr__(self) -> str: ...

class Table:
    """A table of softlabel's. `Table(data)` is one of a file, several files, or a frame of another program, which is taken in as
    `ingest` does it, with CLASSES in their order; with KIND, and CLASSES, a frame that is such a table already and has forgotten it. What a
    stage makes is a table as well, and is made when somebody asks for it: stages that follow each other run at once, joined by pipes."""
    def __init__(self, data, kind=None, classes=None, *, wanted=()) -> None: ...
    def to_arrow(self) -> pa.Table: ...
    @property
    def schema(self) -> pa.Schema: ...
    @property
    def kind(self) -> str: ...
    @property
    def classes(self) -> List[str]: ...
    @property
    def class_values(self) -> Optional[List[float]]: ...
    @property
    def tags(self) -> Dict[str, str]: ...
    @property
    def history(self) -> Text: ...
    @property
    def outputs(self) -> Dict[str, Any]: ...
    @property
    def column_names(self) -> List[str]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, name: str) -> pa.ChunkedArray: ...
    def __arrow_c_stream__(self, requested_schema=None) -> object: ...
    def to_pandas(self, **options) -> Any: ...
    def to_polars(self) -> Any: ...
    def to_numpy(self) -> Any: ...
    def __repr__(self) -> str: ...
    def exclude(self, *data: Any, preset: Literal['default', 'released', 'paper'] = 'default', max_violations: Any = None, min_accuracy: float = 0.75, accuracy_applies: Literal['preset', 'any', 'once'] = 'preset', count_mode: Literal['per-kind', 'total'] = 'per-kind', min_check_accuracy: float = 0, annotators: Any = None, max_accuracy: float = 0, min_agreement: float = 0, min_answers: int = 0, min_seconds: float = 0, max_same_share: float = 1, max_odd: float = 1, incomplete: Literal['drop', 'keep'] = 'drop', dedupe: Literal['off', 'exact', 'item'] = 'off', report: Union[Union[str, PathLike, bool], None] = None, mark: bool = False, **every: Unpack[_Common]) -> Table:
        """leave out the answers of careless annotators"""
    def redistribute(self, *data: Any, top: Literal['1', '2', 'all', 1, 2] = '2', spread: Literal['uniform', 'clamp', 'semantic', 'none', 'neighbours'] = 'clamp', gamma: float = 0.1, compat: bool = False, select_top: bool = False, hard: bool = False, smooth: float = 0, vectors: Any = None, semantic_weight: Literal['cosine', 'softmax'] = 'cosine', semantic_temperature: float = 1, semantic_over: Literal['uniform', 'clamp'] = 'uniform', width: float = 1, repeats: Literal['all', 'first', 'last', 'drop'] = 'all', **every: Unpack[_Common]) -> Table:
        """turn each answer into a distribution over the classes"""
    def aggregate(self, *data: Any, method: Literal['mean', 'counts', 'softmax', 'majority', 'two-thirds', 'median', 'category', 'dawid-skene', 'lfc', 'one-coin', 'hierarchical-dawid-skene', 'wawa', 'zero-based-skill', 'iwmv', 'li-yu', 'pm', 'catd', 'plantnet', 'wds', 'zencrowd', 'gold-vote', 'glad', 'mace', 'kos', 'm-msr', 'rating', 'ibcc', 'bwa', 'ebcc', 'la', 'ptbcc', 'crowdlab', 'soft-dawid-skene', 'log-pool', 'soft-evidence', 'auto'] = 'mean', for_: Any = None, temperature: float = 1, round: int = 0, ties: Literal['lowest', 'random', 'uniform'] = 'lowest', sorted: bool = False, iterations: int = 0, tolerance: Union[float, None] = None, smoothing: Union[float, None] = None, restarts: int = 0, gold: Any = None, groups: Any = None, questions: Any = None, group: Any = None, weights: Any = None, repeats: Literal['all', 'first', 'last', 'drop'] = 'all', calibrate: Any = None, predictions: Any = None, confusion_prior: Any = None, prior_weight: float = 1, init: Any = None, frozen: bool = False, partial: bool = False, merge: bool = False, cost: Any = None, annotators: Union[Union[str, PathLike, bool], None] = None, confusion: Union[Union[str, PathLike, bool], None] = None, **every: Unpack[_Common]) -> Table:
        """make one label of all that annotators said of an item"""
    def deaggregate(self, *data: Any, annotators: int = 0, draws: int = 0, votes: bool = False, hard_samples: int = 0, repeats: Literal['all', 'first', 'last', 'drop'] = 'all', **every: Unpack[_Common]) -> Table:
        """take single answers, or samples of them, from what annotators said"""
    def simulate_fit(self, *data: Any, estimator: Literal['mle', 'moments', 'authors'] = 'mle', clip: Union[float, None] = None, entropy_from: Any = None, route_threshold: float = 0.25, vectors: Any = None, likeness: Any = None, repeats: Literal['all', 'first', 'last', 'drop'] = 'all', joint: Literal['auto', 'answers', 'none'] = 'auto', violations: Literal['refuse', 'keep'] = 'refuse', report: bool = False, **every: Unpack[_Common]) -> Table:
        """fit a simulator to people's answers"""
    def simulate_elicit(self, *data: Any, model: Any = None, annotators: Any = None, answers_per_item: Union[int, None] = None, people: Literal['differ', 'alike'] = 'differ', crowd: Any = None, confusion: Any = None, as_: Literal['annotations', 'labels'] = 'annotations', study: bool = False, gamma: float = 0.1, round: float = 0, group: Literal['entropy', 'all', 'high', 'low'] = 'entropy', route_threshold: Union[float, None] = None, repeats: Literal['all', 'first', 'last', 'drop'] = 'all', **every: Unpack[_Common]) -> Table:
        """answer for any items, as people like those of a fit would"""
    def simulate_crowd(self, *data: Any, items: Union[int, None] = None, classes: Any = None, priors: Any = None, imbalance: Union[float, None] = None, confusion: Any = None, annotators: Union[int, None] = None, crowd: Any = None, groups: Any = None, difficulty: float = 0, answers_per_item: int = 3, items_per_annotator: Union[int, None] = None, activity: float = 0, truth: Union[Union[str, PathLike, bool], None] = None, write_confusion: Union[Union[str, PathLike, bool], None] = None, **every: Unpack[_Common]) -> Table:
        """make votes of annotators whose confusion matrices are known"""
    def simulate_compare(self, *data: Any, entropy_from: Any = None, route_threshold: float = 0.25, repeats: Literal['all', 'first', 'last', 'drop'] = 'all', **every: Unpack[_Common]) -> Table:
        """measure how far simulated answers differ from people's"""
    def simulate_fit_mixup(self, *data: Any, report: bool = False, entropy_from: Any = None, **every: Unpack[_Common]) -> Table:
        """fit how people see mixtures of two classes, pair by pair"""
    def simulate_mixup(self, *data: Any, design: Literal['circle', 'thesis'] = 'circle', pairs: int = 6, alpha: float = 1, rounds: int = 1, target: Literal['linear', 'logistic', 'human', 'mean'] = 'linear', model: Any = None, confidence_smoothing: float = 0, exact_at_1: bool = False, **every: Unpack[_Common]) -> Table:
        """mix items in pairs, with labels by share or as people see them"""
    def agreement(self, *data: Any, by: Literal['all', 'items', 'annotators', 'pairs'] = 'all', group: Any = None, permutations: int = 2000, sort: Any = None, ascending: bool = False, top: Union[int, None] = None, min_answers: int = 0, interval: Literal['items', 'none'] = 'items', level: float = 0.95, resamples: int = 1000, circle: Union[float, None] = None, repeats: Literal['all', 'first', 'last', 'drop'] = 'all', text: Any = None, predictions: Any = None, temperature: Union[float, None] = None, **every: Unpack[_Common]) -> Table:
        """how far annotators agree, and where another answer is worth most"""
    def judge(self, *data: Any, gold: Any = None, people: Any = None, class_: Any = None, epsilon: float = 0.2, fdr: float = 0.05, least_items: int = 30, level: float = 0.95, repeats: Literal['all', 'first', 'last', 'drop'] = 'all', **every: Unpack[_Common]) -> Table:
        """how language models and other judges stand beside people"""
    def select(self, *data: Any, items: Any = None, sample: int = 0, share: float = 0, folds: int = 0, fold: int = 0, stratify: Literal['none', 'gold', 'argmax'] = 'none', where: Any = None, entropy_from: Any = None, min: float = 0, max: Union[float, None] = None, not_: bool = False, rest: Union[Union[str, PathLike, bool], None] = None, missing: Literal['refuse', 'ok'] = 'refuse', repeats: Literal['all', 'first', 'last', 'drop'] = 'all', **every: Unpack[_Common]) -> Table:
        """take some of a table's items, or rows"""
    def overlay(self, *data: Any, common: bool = False, **every: Unpack[_Common]) -> Table:
        """lay one table over another: each item from the first that has it"""
    def control(self, *data: Any, as_: Any = None, **every: Unpack[_Common]) -> Table:
        """labels that say nothing new, to compare others with"""
    def join(self, *data: Any, with_: Any = None, columns: Any = None, existing: Literal['refuse', 'replace', 'keep'] = 'refuse', classes: Any = None, by: Literal['item', 'annotator'] = 'item', **every: Unpack[_Common]) -> Table:
        """bring columns of another table, by item"""
    def train(self, *data: Any, features: Any = None, model: Any = None, preset: Literal['none', 'uma2020', 'uma2020-labelme', 'collins2022', 'thesis-mixture', 'thesis-mixup', 'peterson2019-scratch', 'peterson2019-finetune'] = 'none', list_models: bool = False, targets: Literal['labels', 'gold', 'category', 'uniform', 'random'] = 'labels', pool: Literal['sample', 'mean'] = 'sample', hard_sample: bool = False, hard: bool = False, fill: Literal['none', 'gold'] = 'none', label_smoothing: float = 0, teacher: Any = None, temperature: float = 1, augment: Any = None, validation: Any = None, validation_features: Any = None, validation_share: float = 0, loss: Literal['cross-entropy', 'ent-wc', 'mix-maxent', 'crowd', 'annot-mix', 'geo-reg-f', 'union'] = 'cross-entropy', reduction: Literal['mean', 'sum'] = 'mean', mixup: float = -1, mixup_lambda: Literal['batch', 'item'] = 'batch', mixup_curves: Any = None, ent_wc_least: float = 0.7, ent_wc_gradient: Literal['through', 'detached'] = 'through', entropy_weight: float = 1, mixed_share: float = 1, pairing: Literal['different', 'any'] = 'different', crowd: Literal['mw', 'vw', 'vb', 'vw+b', 'sw', 'conal'] = 'mw', crowd_input: Literal['softmax', 'logits'] = 'softmax', conal_apart: float = 1e-05, annotators_right: float = 0.9, repeats: Literal['all', 'first', 'last', 'drop'] = 'all', annotator_columns: Any = None, volume_weight: float = 0.001, dropout: float = 0, init: Any = None, precision: Literal['float32', 'bf16'] = 'float32', normalise: Literal['data', 'none', 'cifar10'] = 'data', crop: int = 0, flip: Literal['no', 'yes'] = 'no', cutout: int = 0, draw: Literal['epoch', 'once'] = 'epoch', optimiser: Literal['sgd', 'adam', 'adamw', 'radam'] = 'sgd', lr: float = 0.1, momentum: float = 0.9, nesterov: Literal['no', 'yes'] = 'no', beta1: float = 0.9, beta2: float = 0.999, weight_decay: float = 0.0001, decay: Literal['all', 'weights'] = 'all', clip: float = 1, epochs: int = 0, batch: int = 128, schedule: Literal['constant', 'step', 'cosine'] = 'cosine', drops: Any = None, drop_factor: float = 0.1, cosine_by: Literal['epoch', 'batch'] = 'epoch', reset_at_drop: Literal['no', 'yes'] = 'no', warm_up: float = 1, keep: Literal['last', 'best'] = 'last', seeds: int = 1, folds: int = 1, grid: Any = None, log: Union[Union[str, PathLike, bool], None] = None, item_log: Union[Union[str, PathLike, bool], None] = None, held_out: Union[Union[str, PathLike, bool], None] = None, confusion: Union[Union[str, PathLike, bool], None] = None, worth: Any = None, checkpoint: Union[Union[str, PathLike, bool], None] = None, resume: bool = False, **every: Unpack[_Common]) -> Bytes:
        """train a classifier on label distributions, or on annotators' own answers"""
    def predict(self, *data: Any, model: Any = None, ensemble: Literal['none', 'mean'] = 'none', logits: bool = False, batch: int = 128, precision: Literal['float32', 'bf16'] = 'float32', attack: Literal['none', 'fgsm', 'pgd'] = 'none', epsilon: Any = None, steps: int = 10, step_size: Any = None, random_start: bool = False, targets: Any = None, corrupt: Any = None, severity: Any = None, annotators: Any = None, **every: Unpack[_Common]) -> Table:
        """what trained networks say of examples, as they are, attacked or corrupted"""
    def doubts(self, *data: Any, predictions: Any = None, hard: bool = False, inner: bool = False, noise: Union[Union[str, PathLike, bool], None] = None, text: Any = None, **every: Unpack[_Common]) -> Table:
        """which labels a model doubts, and how many of them are wrong"""
    def cost(self, *data: Any, annotators: Any = None, seconds: Union[float, None] = None, time_from: Any = None, statistic: Literal['median', 'mean'] = 'median', inputs: Any = None, inputs_timed: float = 1, **every: Unpack[_Common]) -> Table:
        """what figures cost: annotators' time beside scores"""
    def score(self, *data: Any, against: Any = None, gold: Any = None, inner: bool = False, metrics: Any = None, by: Any = None, mean_over: Any = None, entropy_from: Any = None, entropy_edges: Any = None, second_best: Literal['untied', 'behind-first', 'any', 'wrong'] = 'untied', clip: float = 0, cost: Any = None, vectors: Any = None, bin_size: int = 100, skip_last_bin: bool = False, bins: int = 15, bin_edge: Literal['left', 'right'] = 'left', bin_of_one: Literal['last', 'own'] = 'last', interval: Literal['auto', 'none', 't', 'normal', 'bootstrap'] = 'auto', level: float = 0.95, resamples: int = 1000, questions: Any = None, scale: Union[float, None] = None, repeats: Literal['all', 'first', 'last', 'drop'] = 'all', **every: Unpack[_Common]) -> Table:
        """how right predictions or labels are: every metric, with its interval"""
    def compare(self, *data: Any, against: Any = None, gold: Any = None, names: Any = None, inner: bool = False, metrics: Any = None, items: Union[Union[str, PathLike, bool], None] = None, sort: Literal['none', 'first_entropy', 'second_entropy', 'cross_entropy', 'kl', 'js', 'brier', 'l1', 'tv', 'w_values', 'w_line'] = 'none', same_top: bool = False, clip: float = 0, bin_size: int = 100, bins: int = 15, level: float = 0.95, resamples: int = 1000, repeats: Literal['all', 'first', 'last', 'drop'] = 'all', **every: Unpack[_Common]) -> Table:
        """how far two tables are apart, and which is nearer to the truth"""
    def pivot(self, *data: Any, rows: Any = None, columns: Any = None, metrics: Any = None, spread: Literal['interval', 'sd', 'none'] = 'interval', digits: int = 3, as_: Literal['table', 'csv', 'markdown', 'latex', 'html'] = 'table', mark: Literal['auto', 'all', 'none'] = 'auto', **every: Unpack[_Common]) -> Text:
        """lay scores out as the tables of papers are"""
    def report(self, *data: Any, title: Any = None, items: int = 12, figures: Union[Union[str, PathLike], None] = None, figures_as: Literal['svg', 'pdf', 'both', 'auto'] = 'svg', text: Any = None, **every: Unpack[_Common]) -> Bytes:
        """draw what tables say, as one page for a browser"""
    def show(self, *data: Any, rows: int = 20, where: Any = None, sort: Any = None, desc: bool = False, json: bool = False, chart: Literal['auto', 'always', 'never'] = 'auto', text: Any = None, **every: Unpack[_Common]) -> Text:
        """print a table for people to read"""
    def cat(self, *data: Any, table: Any = None, classes: Any = None, classes_from: Any = None, ordered: Any = None, values: Any = None, common: bool = False, wide: bool = False, submission: Union[Literal['lewidi', 'lewidi-2023'], None] = None, sets: Any = None, threshold: float = 0.5, **every: Unpack[_Common]) -> Table:
        """join tables end to end, or convert a table to another format"""
    def id(self, *data: Any, **every: Unpack[_Common]) -> Text:
        """print a digest of what tables say, whatever their format and history"""

def survey(*data: Any, task: Literal['soft', 'vote', 'rank', 'mixture', 'distribution'] = 'soft', top: int = 0, classes: Any = None, items: Any = None, item: Literal['name', 'path', 'stem'] = 'name', mixtures: Any = None, batch: int = 27, repeats: int = 2, repeats_at: Literal['distance', 'end'] = 'distance', checks: Any = None, checks_each: int = 0, practice: Any = None, entropy_from: Any = None, low_each: int = 0, low_entropy: float = 0.1, from_agreement: Any = None, ask: int = 0, allocation: Any = None, annotators: int = 1, perspective: Literal['third', 'first'] = 'third', no_alternative: bool = False, class_order: Literal['fixed', 'shuffled'] = 'fixed', question: Any = None, display: Any = None, embed: bool = False, title: Any = None, language: Any = None, instructions: Any = None, consent: Any = None, post: Any = None, code: Any = None, list: bool = False, **every: Unpack[_Common]) -> Path:
    """make a page on which people give soft labels"""

def ingest(*data: Any, from_: Union[Literal['long', 'jspsych', 'counts', 'cifar10h', 'labelstudio', 'prodigy', 'doccano', 'mturk', 'groundtruth', 'toloka', 'argilla', 'survey', 'wide', 'rodrigues', 'peerannot', 'wrench', 'lewidi', 'qualtrics', 'googleforms', 'auto', 'labels', 'predictions', 'mixup', 'hmix', 'cifar10', 'idx', 'npy', 'table', 'images'], None] = None, classes: Any = None, classes_from: Any = None, like: Any = None, ordered: Any = None, values: Any = None, bins: Any = None, column: Any = None, columns: Any = None, trial_type: Any = None, header: Literal['auto', 'yes', 'no'] = 'auto', delimiter: Any = None, na: Any = None, trim: Literal['yes', 'no'] = 'yes', rename_class: Any = None, ignore_case: bool = False, decimal_comma: bool = False, percent_scale: Union[Literal['1', '100', 1, 100], None] = None, replace_percent: Any = None, zero_percent: Literal['hundred', 'missing', 'keep'] = 'hundred', rescale: float = 0, question: Any = None, multi_label: Any = None, annotator: Any = None, annotator_columns: Any = None, keep: Any = None, repeats: Union[Literal['all', 'mark', 'drop'], None] = None, reject_as: Any = None, transpose: bool = False, labels: Any = None, items: Any = None, gold: Any = None, item_prefix: Any = None, severity: Union[int, None] = None, layout: Literal['auto', 'hwc', 'chw'] = 'auto', resize: Any = None, fit: Literal['stretch', 'crop'] = 'stretch', item: Literal['name', 'path', 'stem'] = 'name', pattern: Any = None, class_map: Any = None, rejects: Union[Union[str, PathLike, bool], None] = None, allow_empty: bool = False, where: Any = None, **every: Unpack[_Common]) -> Table:
    """read answers of annotators, and features, from CSV and other forms"""

def exclude(*data: Any, preset: Literal['default', 'released', 'paper'] = 'default', max_violations: Any = None, min_accuracy: float = 0.75, accuracy_applies: Literal['preset', 'any', 'once'] = 'preset', count_mode: Literal['per-kind', 'total'] = 'per-kind', min_check_accuracy: float = 0, annotators: Any = None, max_accuracy: float = 0, min_agreement: float = 0, min_answers: int = 0, min_seconds: float = 0, max_same_share: float = 1, max_odd: float = 1, incomplete: Literal['drop', 'keep'] = 'drop', dedupe: Literal['off', 'exact', 'item'] = 'off', report: Union[Union[str, PathLike, bool], None] = None, mark: bool = False, **every: Unpack[_Common]) -> Table:
    """leave out the answers of careless annotators"""

def redistribute(*data: Any, top: Literal['1', '2', 'all', 1, 2] = '2', spread: Literal['uniform', 'clamp', 'semantic', 'none', 'neighbours'] = 'clamp', gamma: float = 0.1, compat: bool = False, select_top: bool = False, hard: bool = False, smooth: float = 0, vectors: Any = None, semantic_weight: Literal['cosine', 'softmax'] = 'cosine', semantic_temperature: float = 1, semantic_over: Literal['uniform', 'clamp'] = 'uniform', width: float = 1, repeats: Literal['all', 'first', 'last', 'drop'] = 'all', **every: Unpack[_Common]) -> Table:
    """turn each answer into a distribution over the classes"""

def aggregate(*data: Any, method: Literal['mean', 'counts', 'softmax', 'majority', 'two-thirds', 'median', 'category', 'dawid-skene', 'lfc', 'one-coin', 'hierarchical-dawid-skene', 'wawa', 'zero-based-skill', 'iwmv', 'li-yu', 'pm', 'catd', 'plantnet', 'wds', 'zencrowd', 'gold-vote', 'glad', 'mace', 'kos', 'm-msr', 'rating', 'ibcc', 'bwa', 'ebcc', 'la', 'ptbcc', 'crowdlab', 'soft-dawid-skene', 'log-pool', 'soft-evidence', 'auto'] = 'mean', for_: Any = None, temperature: float = 1, round: int = 0, ties: Literal['lowest', 'random', 'uniform'] = 'lowest', sorted: bool = False, iterations: int = 0, tolerance: Union[float, None] = None, smoothing: Union[float, None] = None, restarts: int = 0, gold: Any = None, groups: Any = None, questions: Any = None, group: Any = None, weights: Any = None, repeats: Literal['all', 'first', 'last', 'drop'] = 'all', calibrate: Any = None, predictions: Any = None, confusion_prior: Any = None, prior_weight: float = 1, init: Any = None, frozen: bool = False, partial: bool = False, merge: bool = False, cost: Any = None, annotators: Union[Union[str, PathLike, bool], None] = None, confusion: Union[Union[str, PathLike, bool], None] = None, **every: Unpack[_Common]) -> Table:
    """make one label of all that annotators said of an item"""

def deaggregate(*data: Any, annotators: int = 0, draws: int = 0, votes: bool = False, hard_samples: int = 0, repeats: Literal['all', 'first', 'last', 'drop'] = 'all', **every: Unpack[_Common]) -> Table:
    """take single answers, or samples of them, from what annotators said"""

def simulate_fit(*data: Any, estimator: Literal['mle', 'moments', 'authors'] = 'mle', clip: Union[float, None] = None, entropy_from: Any = None, route_threshold: float = 0.25, vectors: Any = None, likeness: Any = None, repeats: Literal['all', 'first', 'last', 'drop'] = 'all', joint: Literal['auto', 'answers', 'none'] = 'auto', violations: Literal['refuse', 'keep'] = 'refuse', report: bool = False, **every: Unpack[_Common]) -> Table:
    """fit a simulator to people's answers"""

def simulate_elicit(*data: Any, model: Any = None, annotators: Any = None, answers_per_item: Union[int, None] = None, people: Literal['differ', 'alike'] = 'differ', crowd: Any = None, confusion: Any = None, as_: Literal['annotations', 'labels'] = 'annotations', study: bool = False, gamma: float = 0.1, round: float = 0, group: Literal['entropy', 'all', 'high', 'low'] = 'entropy', route_threshold: Union[float, None] = None, repeats: Literal['all', 'first', 'last', 'drop'] = 'all', **every: Unpack[_Common]) -> Table:
    """answer for any items, as people like those of a fit would"""

def simulate_crowd(*data: Any, items: Union[int, None] = None, classes: Any = None, priors: Any = None, imbalance: Union[float, None] = None, confusion: Any = None, annotators: Union[int, None] = None, crowd: Any = None, groups: Any = None, difficulty: float = 0, answers_per_item: int = 3, items_per_annotator: Union[int, None] = None, activity: float = 0, truth: Union[Union[str, PathLike, bool], None] = None, write_confusion: Union[Union[str, PathLike, bool], None] = None, **every: Unpack[_Common]) -> Table:
    """make votes of annotators whose confusion matrices are known"""

def simulate_compare(*data: Any, entropy_from: Any = None, route_threshold: float = 0.25, repeats: Literal['all', 'first', 'last', 'drop'] = 'all', **every: Unpack[_Common]) -> Table:
    """measure how far simulated answers differ from people's"""

def simulate_fit_mixup(*data: Any, report: bool = False, entropy_from: Any = None, **every: Unpack[_Common]) -> Table:
    """fit how people see mixtures of two classes, pair by pair"""

def simulate_mixup(*data: Any, design: Literal['circle', 'thesis'] = 'circle', pairs: int = 6, alpha: float = 1, rounds: int = 1, target: Literal['linear', 'logistic', 'human', 'mean'] = 'linear', model: Any = None, confidence_smoothing: float = 0, exact_at_1: bool = False, **every: Unpack[_Common]) -> Table:
    """mix items in pairs, with labels by share or as people see them"""

def agreement(*data: Any, by: Literal['all', 'items', 'annotators', 'pairs'] = 'all', group: Any = None, permutations: int = 2000, sort: Any = None, ascending: bool = False, top: Union[int, None] = None, min_answers: int = 0, interval: Literal['items', 'none'] = 'items', level: float = 0.95, resamples: int = 1000, circle: Union[float, None] = None, repeats: Literal['all', 'first', 'last', 'drop'] = 'all', text: Any = None, predictions: Any = None, temperature: Union[float, None] = None, **every: Unpack[_Common]) -> Table:
    """how far annotators agree, and where another answer is worth most"""

def judge(*data: Any, gold: Any = None, people: Any = None, class_: Any = None, epsilon: float = 0.2, fdr: float = 0.05, least_items: int = 30, level: float = 0.95, repeats: Literal['all', 'first', 'last', 'drop'] = 'all', **every: Unpack[_Common]) -> Table:
    """how language models and other judges stand beside people"""

def select(*data: Any, items: Any = None, sample: int = 0, share: float = 0, folds: int = 0, fold: int = 0, stratify: Literal['none', 'gold', 'argmax'] = 'none', where: Any = None, entropy_from: Any = None, min: float = 0, max: Union[float, None] = None, not_: bool = False, rest: Union[Union[str, PathLike, bool], None] = None, missing: Literal['refuse', 'ok'] = 'refuse', repeats: Literal['all', 'first', 'last', 'drop'] = 'all', **every: Unpack[_Common]) -> Table:
    """take some of a table's items, or rows"""

def overlay(*data: Any, common: bool = False, **every: Unpack[_Common]) -> Table:
    """lay one table over another: each item from the first that has it"""

def control(*data: Any, as_: Any = None, **every: Unpack[_Common]) -> Table:
    """labels that say nothing new, to compare others with"""

def join(*data: Any, with_: Any = None, columns: Any = None, existing: Literal['refuse', 'replace', 'keep'] = 'refuse', classes: Any = None, by: Literal['item', 'annotator'] = 'item', **every: Unpack[_Common]) -> Table:
    """bring columns of another table, by item"""

def train(*data: Any, features: Any = None, model: Any = None, preset: Literal['none', 'uma2020', 'uma2020-labelme', 'collins2022', 'thesis-mixture', 'thesis-mixup', 'peterson2019-scratch', 'peterson2019-finetune'] = 'none', list_models: bool = False, targets: Literal['labels', 'gold', 'category', 'uniform', 'random'] = 'labels', pool: Literal['sample', 'mean'] = 'sample', hard_sample: bool = False, hard: bool = False, fill: Literal['none', 'gold'] = 'none', label_smoothing: float = 0, teacher: Any = None, temperature: float = 1, augment: Any = None, validation: Any = None, validation_features: Any = None, validation_share: float = 0, loss: Literal['cross-entropy', 'ent-wc', 'mix-maxent', 'crowd', 'annot-mix', 'geo-reg-f', 'union'] = 'cross-entropy', reduction: Literal['mean', 'sum'] = 'mean', mixup: float = -1, mixup_lambda: Literal['batch', 'item'] = 'batch', mixup_curves: Any = None, ent_wc_least: float = 0.7, ent_wc_gradient: Literal['through', 'detached'] = 'through', entropy_weight: float = 1, mixed_share: float = 1, pairing: Literal['different', 'any'] = 'different', crowd: Literal['mw', 'vw', 'vb', 'vw+b', 'sw', 'conal'] = 'mw', crowd_input: Literal['softmax', 'logits'] = 'softmax', conal_apart: float = 1e-05, annotators_right: float = 0.9, repeats: Literal['all', 'first', 'last', 'drop'] = 'all', annotator_columns: Any = None, volume_weight: float = 0.001, dropout: float = 0, init: Any = None, precision: Literal['float32', 'bf16'] = 'float32', normalise: Literal['data', 'none', 'cifar10'] = 'data', crop: int = 0, flip: Literal['no', 'yes'] = 'no', cutout: int = 0, draw: Literal['epoch', 'once'] = 'epoch', optimiser: Literal['sgd', 'adam', 'adamw', 'radam'] = 'sgd', lr: float = 0.1, momentum: float = 0.9, nesterov: Literal['no', 'yes'] = 'no', beta1: float = 0.9, beta2: float = 0.999, weight_decay: float = 0.0001, decay: Literal['all', 'weights'] = 'all', clip: float = 1, epochs: int = 0, batch: int = 128, schedule: Literal['constant', 'step', 'cosine'] = 'cosine', drops: Any = None, drop_factor: float = 0.1, cosine_by: Literal['epoch', 'batch'] = 'epoch', reset_at_drop: Literal['no', 'yes'] = 'no', warm_up: float = 1, keep: Literal['last', 'best'] = 'last', seeds: int = 1, folds: int = 1, grid: Any = None, log: Union[Union[str, PathLike, bool], None] = None, item_log: Union[Union[str, PathLike, bool], None] = None, held_out: Union[Union[str, PathLike, bool], None] = None, confusion: Union[Union[str, PathLike, bool], None] = None, worth: Any = None, checkpoint: Union[Union[str, PathLike, bool], None] = None, resume: bool = False, **every: Unpack[_Common]) -> Bytes:
    """train a classifier on label distributions, or on annotators' own answers"""

def predict(*data: Any, model: Any = None, ensemble: Literal['none', 'mean'] = 'none', logits: bool = False, batch: int = 128, precision: Literal['float32', 'bf16'] = 'float32', attack: Literal['none', 'fgsm', 'pgd'] = 'none', epsilon: Any = None, steps: int = 10, step_size: Any = None, random_start: bool = False, targets: Any = None, corrupt: Any = None, severity: Any = None, annotators: Any = None, **every: Unpack[_Common]) -> Table:
    """what trained networks say of examples, as they are, attacked or corrupted"""

def doubts(*data: Any, predictions: Any = None, hard: bool = False, inner: bool = False, noise: Union[Union[str, PathLike, bool], None] = None, text: Any = None, **every: Unpack[_Common]) -> Table:
    """which labels a model doubts, and how many of them are wrong"""

def cost(*data: Any, annotators: Any = None, seconds: Union[float, None] = None, time_from: Any = None, statistic: Literal['median', 'mean'] = 'median', inputs: Any = None, inputs_timed: float = 1, **every: Unpack[_Common]) -> Table:
    """what figures cost: annotators' time beside scores"""

def score(*data: Any, against: Any = None, gold: Any = None, inner: bool = False, metrics: Any = None, by: Any = None, mean_over: Any = None, entropy_from: Any = None, entropy_edges: Any = None, second_best: Literal['untied', 'behind-first', 'any', 'wrong'] = 'untied', clip: float = 0, cost: Any = None, vectors: Any = None, bin_size: int = 100, skip_last_bin: bool = False, bins: int = 15, bin_edge: Literal['left', 'right'] = 'left', bin_of_one: Literal['last', 'own'] = 'last', interval: Literal['auto', 'none', 't', 'normal', 'bootstrap'] = 'auto', level: float = 0.95, resamples: int = 1000, questions: Any = None, scale: Union[float, None] = None, repeats: Literal['all', 'first', 'last', 'drop'] = 'all', **every: Unpack[_Common]) -> Table:
    """how right predictions or labels are: every metric, with its interval"""

def compare(*data: Any, against: Any = None, gold: Any = None, names: Any = None, inner: bool = False, metrics: Any = None, items: Union[Union[str, PathLike, bool], None] = None, sort: Literal['none', 'first_entropy', 'second_entropy', 'cross_entropy', 'kl', 'js', 'brier', 'l1', 'tv', 'w_values', 'w_line'] = 'none', same_top: bool = False, clip: float = 0, bin_size: int = 100, bins: int = 15, level: float = 0.95, resamples: int = 1000, repeats: Literal['all', 'first', 'last', 'drop'] = 'all', **every: Unpack[_Common]) -> Table:
    """how far two tables are apart, and which is nearer to the truth"""

def pivot(*data: Any, rows: Any = None, columns: Any = None, metrics: Any = None, spread: Literal['interval', 'sd', 'none'] = 'interval', digits: int = 3, as_: Literal['table', 'csv', 'markdown', 'latex', 'html'] = 'table', mark: Literal['auto', 'all', 'none'] = 'auto', **every: Unpack[_Common]) -> Text:
    """lay scores out as the tables of papers are"""

def report(*data: Any, title: Any = None, items: int = 12, figures: Union[Union[str, PathLike], None] = None, figures_as: Literal['svg', 'pdf', 'both', 'auto'] = 'svg', text: Any = None, **every: Unpack[_Common]) -> Bytes:
    """draw what tables say, as one page for a browser"""

def show(*data: Any, rows: int = 20, where: Any = None, sort: Any = None, desc: bool = False, json: bool = False, chart: Literal['auto', 'always', 'never'] = 'auto', text: Any = None, **every: Unpack[_Common]) -> Text:
    """print a table for people to read"""

def cat(*data: Any, table: Any = None, classes: Any = None, classes_from: Any = None, ordered: Any = None, values: Any = None, common: bool = False, wide: bool = False, submission: Union[Literal['lewidi', 'lewidi-2023'], None] = None, sets: Any = None, threshold: float = 0.5, **every: Unpack[_Common]) -> Table:
    """join tables end to end, or convert a table to another format"""

def schema(*data: str, json: bool = False, **every: Unpack[_Common]) -> Text:
    """print the kinds of table, or one kind's columns"""

def describe(*data: str, json: bool = False, **every: Unpack[_Common]) -> Text:
    """print what each verb reads and writes; as JSON, with all options"""

def id(*data: Any, **every: Unpack[_Common]) -> Text:
    """print a digest of what tables say, whatever their format and history"""

def verify(*data: str, **every: Unpack[_Common]) -> Text:
    """tell whether tables are whole, damaged, or have no digest to tell by"""

def history(*data: Any, full: bool = False, json: bool = False, **every: Unpack[_Common]) -> Text:
    """print how a table was made, as a pipeline"""

def cache_ls(*data: str, json: bool = False, **every: Unpack[_Common]) -> Text:
    """list the results that a cache holds"""

def cache_prune(*data: str, keep: Union[int, str] = -1, older: Union[float, None] = None, outdated: bool = False, damaged: bool = False, all: bool = False, **every: Unpack[_Common]) -> Text:
    """take results out of a cache"""

def cache_why(*data: str, **every: Unpack[_Common]) -> Text:
    """tell whether a command would be served from a cache, and if not, why"""
