from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Kupferkessel(_message.Message):
    __slots__ = ()
    class Card(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        CARD_UNSPECIFIED: _ClassVar[Kupferkessel.Card]
        CARD_WA1: _ClassVar[Kupferkessel.Card]
        CARD_WA2: _ClassVar[Kupferkessel.Card]
        CARD_WA3: _ClassVar[Kupferkessel.Card]
        CARD_WA4: _ClassVar[Kupferkessel.Card]
        CARD_WB1: _ClassVar[Kupferkessel.Card]
        CARD_WB2: _ClassVar[Kupferkessel.Card]
        CARD_WB3: _ClassVar[Kupferkessel.Card]
        CARD_WB4: _ClassVar[Kupferkessel.Card]
        CARD_KA1: _ClassVar[Kupferkessel.Card]
        CARD_KA2: _ClassVar[Kupferkessel.Card]
        CARD_KA3: _ClassVar[Kupferkessel.Card]
        CARD_KA4: _ClassVar[Kupferkessel.Card]
        CARD_KB1: _ClassVar[Kupferkessel.Card]
        CARD_KB2: _ClassVar[Kupferkessel.Card]
        CARD_KB3: _ClassVar[Kupferkessel.Card]
        CARD_KB4: _ClassVar[Kupferkessel.Card]
        CARD_SA1: _ClassVar[Kupferkessel.Card]
        CARD_SA2: _ClassVar[Kupferkessel.Card]
        CARD_SA3: _ClassVar[Kupferkessel.Card]
        CARD_SA4: _ClassVar[Kupferkessel.Card]
        CARD_SB1: _ClassVar[Kupferkessel.Card]
        CARD_SB2: _ClassVar[Kupferkessel.Card]
        CARD_SB3: _ClassVar[Kupferkessel.Card]
        CARD_SB4: _ClassVar[Kupferkessel.Card]
        CARD_BA1: _ClassVar[Kupferkessel.Card]
        CARD_BA2: _ClassVar[Kupferkessel.Card]
        CARD_BA3: _ClassVar[Kupferkessel.Card]
        CARD_BA4: _ClassVar[Kupferkessel.Card]
        CARD_BB1: _ClassVar[Kupferkessel.Card]
        CARD_BB2: _ClassVar[Kupferkessel.Card]
        CARD_BB3: _ClassVar[Kupferkessel.Card]
        CARD_BB4: _ClassVar[Kupferkessel.Card]
        CARD_NA1: _ClassVar[Kupferkessel.Card]
        CARD_NA2: _ClassVar[Kupferkessel.Card]
        CARD_NA3: _ClassVar[Kupferkessel.Card]
        CARD_NA4: _ClassVar[Kupferkessel.Card]
        CARD_NB1: _ClassVar[Kupferkessel.Card]
        CARD_NB2: _ClassVar[Kupferkessel.Card]
        CARD_NB3: _ClassVar[Kupferkessel.Card]
        CARD_NB4: _ClassVar[Kupferkessel.Card]
        CARD_GA1: _ClassVar[Kupferkessel.Card]
        CARD_GA2: _ClassVar[Kupferkessel.Card]
        CARD_GA3: _ClassVar[Kupferkessel.Card]
        CARD_GA4: _ClassVar[Kupferkessel.Card]
        CARD_GB1: _ClassVar[Kupferkessel.Card]
        CARD_GB2: _ClassVar[Kupferkessel.Card]
        CARD_GB3: _ClassVar[Kupferkessel.Card]
        CARD_GB4: _ClassVar[Kupferkessel.Card]
        CARD_LA1: _ClassVar[Kupferkessel.Card]
        CARD_LA2: _ClassVar[Kupferkessel.Card]
        CARD_LA3: _ClassVar[Kupferkessel.Card]
        CARD_LA4: _ClassVar[Kupferkessel.Card]
        CARD_LB1: _ClassVar[Kupferkessel.Card]
        CARD_LB2: _ClassVar[Kupferkessel.Card]
        CARD_LB3: _ClassVar[Kupferkessel.Card]
        CARD_LB4: _ClassVar[Kupferkessel.Card]
    CARD_UNSPECIFIED: Kupferkessel.Card
    CARD_WA1: Kupferkessel.Card
    CARD_WA2: Kupferkessel.Card
    CARD_WA3: Kupferkessel.Card
    CARD_WA4: Kupferkessel.Card
    CARD_WB1: Kupferkessel.Card
    CARD_WB2: Kupferkessel.Card
    CARD_WB3: Kupferkessel.Card
    CARD_WB4: Kupferkessel.Card
    CARD_KA1: Kupferkessel.Card
    CARD_KA2: Kupferkessel.Card
    CARD_KA3: Kupferkessel.Card
    CARD_KA4: Kupferkessel.Card
    CARD_KB1: Kupferkessel.Card
    CARD_KB2: Kupferkessel.Card
    CARD_KB3: Kupferkessel.Card
    CARD_KB4: Kupferkessel.Card
    CARD_SA1: Kupferkessel.Card
    CARD_SA2: Kupferkessel.Card
    CARD_SA3: Kupferkessel.Card
    CARD_SA4: Kupferkessel.Card
    CARD_SB1: Kupferkessel.Card
    CARD_SB2: Kupferkessel.Card
    CARD_SB3: Kupferkessel.Card
    CARD_SB4: Kupferkessel.Card
    CARD_BA1: Kupferkessel.Card
    CARD_BA2: Kupferkessel.Card
    CARD_BA3: Kupferkessel.Card
    CARD_BA4: Kupferkessel.Card
    CARD_BB1: Kupferkessel.Card
    CARD_BB2: Kupferkessel.Card
    CARD_BB3: Kupferkessel.Card
    CARD_BB4: Kupferkessel.Card
    CARD_NA1: Kupferkessel.Card
    CARD_NA2: Kupferkessel.Card
    CARD_NA3: Kupferkessel.Card
    CARD_NA4: Kupferkessel.Card
    CARD_NB1: Kupferkessel.Card
    CARD_NB2: Kupferkessel.Card
    CARD_NB3: Kupferkessel.Card
    CARD_NB4: Kupferkessel.Card
    CARD_GA1: Kupferkessel.Card
    CARD_GA2: Kupferkessel.Card
    CARD_GA3: Kupferkessel.Card
    CARD_GA4: Kupferkessel.Card
    CARD_GB1: Kupferkessel.Card
    CARD_GB2: Kupferkessel.Card
    CARD_GB3: Kupferkessel.Card
    CARD_GB4: Kupferkessel.Card
    CARD_LA1: Kupferkessel.Card
    CARD_LA2: Kupferkessel.Card
    CARD_LA3: Kupferkessel.Card
    CARD_LA4: Kupferkessel.Card
    CARD_LB1: Kupferkessel.Card
    CARD_LB2: Kupferkessel.Card
    CARD_LB3: Kupferkessel.Card
    CARD_LB4: Kupferkessel.Card
    class Colour(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        COLOUR_UNSPECIFIED: _ClassVar[Kupferkessel.Colour]
        COLOUR_WHITE: _ClassVar[Kupferkessel.Colour]
        COLOUR_BLACK: _ClassVar[Kupferkessel.Colour]
        COLOUR_GREY: _ClassVar[Kupferkessel.Colour]
        COLOUR_BLUE: _ClassVar[Kupferkessel.Colour]
        COLOUR_BROWN: _ClassVar[Kupferkessel.Colour]
        COLOUR_GREEN: _ClassVar[Kupferkessel.Colour]
        COLOUR_LILAC: _ClassVar[Kupferkessel.Colour]
    COLOUR_UNSPECIFIED: Kupferkessel.Colour
    COLOUR_WHITE: Kupferkessel.Colour
    COLOUR_BLACK: Kupferkessel.Colour
    COLOUR_GREY: Kupferkessel.Colour
    COLOUR_BLUE: Kupferkessel.Colour
    COLOUR_BROWN: Kupferkessel.Colour
    COLOUR_GREEN: Kupferkessel.Colour
    COLOUR_LILAC: Kupferkessel.Colour
    class Symbols(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        SYMBOLS_UNSPECIFIED: _ClassVar[Kupferkessel.Symbols]
        SYMBOLS_NEUTRAL2: _ClassVar[Kupferkessel.Symbols]
        SYMBOLS_ALL2: _ClassVar[Kupferkessel.Symbols]
    SYMBOLS_UNSPECIFIED: Kupferkessel.Symbols
    SYMBOLS_NEUTRAL2: Kupferkessel.Symbols
    SYMBOLS_ALL2: Kupferkessel.Symbols
    class Recipe(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        RECIPE_UNSPECIFIED: _ClassVar[Kupferkessel.Recipe]
        RECIPE_BOTH_WHITE: _ClassVar[Kupferkessel.Recipe]
        RECIPE_BOTH_BLACK: _ClassVar[Kupferkessel.Recipe]
        RECIPE_BOTH_GREY: _ClassVar[Kupferkessel.Recipe]
        RECIPE_BOTH_BLUE: _ClassVar[Kupferkessel.Recipe]
        RECIPE_BOTH_BROWN: _ClassVar[Kupferkessel.Recipe]
        RECIPE_BOTH_GREEN: _ClassVar[Kupferkessel.Recipe]
        RECIPE_BOTH_LILAC: _ClassVar[Kupferkessel.Recipe]
        RECIPE_ONE_WHITE: _ClassVar[Kupferkessel.Recipe]
        RECIPE_ONE_BLACK: _ClassVar[Kupferkessel.Recipe]
        RECIPE_ONE_GREY: _ClassVar[Kupferkessel.Recipe]
        RECIPE_ONE_BLUE: _ClassVar[Kupferkessel.Recipe]
        RECIPE_ONE_BROWN: _ClassVar[Kupferkessel.Recipe]
        RECIPE_ONE_GREEN: _ClassVar[Kupferkessel.Recipe]
        RECIPE_ONE_LILAC: _ClassVar[Kupferkessel.Recipe]
        RECIPE_ENDED_GAME: _ClassVar[Kupferkessel.Recipe]
        RECIPE_FEWER_EXPLOSIONS: _ClassVar[Kupferkessel.Recipe]
        RECIPE_PLANTS: _ClassVar[Kupferkessel.Recipe]
        RECIPE_FEWER_WANDS: _ClassVar[Kupferkessel.Recipe]
        RECIPE_FEWER_CARDS: _ClassVar[Kupferkessel.Recipe]
        RECIPE_FEWER_FOURS: _ClassVar[Kupferkessel.Recipe]
    RECIPE_UNSPECIFIED: Kupferkessel.Recipe
    RECIPE_BOTH_WHITE: Kupferkessel.Recipe
    RECIPE_BOTH_BLACK: Kupferkessel.Recipe
    RECIPE_BOTH_GREY: Kupferkessel.Recipe
    RECIPE_BOTH_BLUE: Kupferkessel.Recipe
    RECIPE_BOTH_BROWN: Kupferkessel.Recipe
    RECIPE_BOTH_GREEN: Kupferkessel.Recipe
    RECIPE_BOTH_LILAC: Kupferkessel.Recipe
    RECIPE_ONE_WHITE: Kupferkessel.Recipe
    RECIPE_ONE_BLACK: Kupferkessel.Recipe
    RECIPE_ONE_GREY: Kupferkessel.Recipe
    RECIPE_ONE_BLUE: Kupferkessel.Recipe
    RECIPE_ONE_BROWN: Kupferkessel.Recipe
    RECIPE_ONE_GREEN: Kupferkessel.Recipe
    RECIPE_ONE_LILAC: Kupferkessel.Recipe
    RECIPE_ENDED_GAME: Kupferkessel.Recipe
    RECIPE_FEWER_EXPLOSIONS: Kupferkessel.Recipe
    RECIPE_PLANTS: Kupferkessel.Recipe
    RECIPE_FEWER_WANDS: Kupferkessel.Recipe
    RECIPE_FEWER_CARDS: Kupferkessel.Recipe
    RECIPE_FEWER_FOURS: Kupferkessel.Recipe
    class Phase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        PHASE_UNSPECIFIED: _ClassVar[Kupferkessel.Phase]
        PHASE_TAKE: _ClassVar[Kupferkessel.Phase]
        PHASE_TAKE_AGAIN: _ClassVar[Kupferkessel.Phase]
        PHASE_EXPLOSION: _ClassVar[Kupferkessel.Phase]
        PHASE_WAND: _ClassVar[Kupferkessel.Phase]
        PHASE_KEEP: _ClassVar[Kupferkessel.Phase]
        PHASE_OVER: _ClassVar[Kupferkessel.Phase]
    PHASE_UNSPECIFIED: Kupferkessel.Phase
    PHASE_TAKE: Kupferkessel.Phase
    PHASE_TAKE_AGAIN: Kupferkessel.Phase
    PHASE_EXPLOSION: Kupferkessel.Phase
    PHASE_WAND: Kupferkessel.Phase
    PHASE_KEEP: Kupferkessel.Phase
    PHASE_OVER: Kupferkessel.Phase
    class Ending(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        ENDING_UNSPECIFIED: _ClassVar[Kupferkessel.Ending]
        ENDING_LINE_EMPTIED: _ClassVar[Kupferkessel.Ending]
        ENDING_TURN_CAP: _ClassVar[Kupferkessel.Ending]
    ENDING_UNSPECIFIED: Kupferkessel.Ending
    ENDING_LINE_EMPTIED: Kupferkessel.Ending
    ENDING_TURN_CAP: Kupferkessel.Ending
    class EventKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        EVENT_KIND_UNSPECIFIED: _ClassVar[Kupferkessel.EventKind]
        EVENT_KIND_DREW_START_CARD: _ClassVar[Kupferkessel.EventKind]
        EVENT_KIND_MOVED: _ClassVar[Kupferkessel.EventKind]
        EVENT_KIND_PASSED: _ClassVar[Kupferkessel.EventKind]
        EVENT_KIND_TOOK: _ClassVar[Kupferkessel.EventKind]
        EVENT_KIND_USED_SYMBOL: _ClassVar[Kupferkessel.EventKind]
        EVENT_KIND_LOST: _ClassVar[Kupferkessel.EventKind]
        EVENT_KIND_REFILLED: _ClassVar[Kupferkessel.EventKind]
        EVENT_KIND_ENDED: _ClassVar[Kupferkessel.EventKind]
        EVENT_KIND_KEPT: _ClassVar[Kupferkessel.EventKind]
        EVENT_KIND_DISCARDED: _ClassVar[Kupferkessel.EventKind]
        EVENT_KIND_CAULDRON_OPENED: _ClassVar[Kupferkessel.EventKind]
        EVENT_KIND_RECIPES_OPENED: _ClassVar[Kupferkessel.EventKind]
    EVENT_KIND_UNSPECIFIED: Kupferkessel.EventKind
    EVENT_KIND_DREW_START_CARD: Kupferkessel.EventKind
    EVENT_KIND_MOVED: Kupferkessel.EventKind
    EVENT_KIND_PASSED: Kupferkessel.EventKind
    EVENT_KIND_TOOK: Kupferkessel.EventKind
    EVENT_KIND_USED_SYMBOL: Kupferkessel.EventKind
    EVENT_KIND_LOST: Kupferkessel.EventKind
    EVENT_KIND_REFILLED: Kupferkessel.EventKind
    EVENT_KIND_ENDED: Kupferkessel.EventKind
    EVENT_KIND_KEPT: Kupferkessel.EventKind
    EVENT_KIND_DISCARDED: Kupferkessel.EventKind
    EVENT_KIND_CAULDRON_OPENED: Kupferkessel.EventKind
    EVENT_KIND_RECIPES_OPENED: Kupferkessel.EventKind
    class Options(_message.Message):
        __slots__ = ("recipes", "symbols", "colours", "explosions", "wands")
        RECIPES_FIELD_NUMBER: _ClassVar[int]
        SYMBOLS_FIELD_NUMBER: _ClassVar[int]
        COLOURS_FIELD_NUMBER: _ClassVar[int]
        EXPLOSIONS_FIELD_NUMBER: _ClassVar[int]
        WANDS_FIELD_NUMBER: _ClassVar[int]
        recipes: bool
        symbols: Kupferkessel.Symbols
        colours: _containers.RepeatedScalarFieldContainer[Kupferkessel.Colour]
        explosions: _containers.RepeatedScalarFieldContainer[Kupferkessel.Card]
        wands: _containers.RepeatedScalarFieldContainer[Kupferkessel.Card]
        def __init__(self, recipes: _Optional[bool] = ..., symbols: _Optional[_Union[Kupferkessel.Symbols, str]] = ..., colours: _Optional[_Iterable[_Union[Kupferkessel.Colour, str]]] = ..., explosions: _Optional[_Iterable[_Union[Kupferkessel.Card, str]]] = ..., wands: _Optional[_Iterable[_Union[Kupferkessel.Card, str]]] = ...) -> None: ...
    class Move(_message.Message):
        __slots__ = ("take", "use", "skip", "keep", "discard")
        TAKE_FIELD_NUMBER: _ClassVar[int]
        USE_FIELD_NUMBER: _ClassVar[int]
        SKIP_FIELD_NUMBER: _ClassVar[int]
        KEEP_FIELD_NUMBER: _ClassVar[int]
        DISCARD_FIELD_NUMBER: _ClassVar[int]
        take: int
        use: Kupferkessel.Use
        skip: Kupferkessel.Skip
        keep: Kupferkessel.Keep
        discard: Kupferkessel.Discard
        def __init__(self, take: _Optional[int] = ..., use: _Optional[_Union[Kupferkessel.Use, _Mapping]] = ..., skip: _Optional[_Union[Kupferkessel.Skip, _Mapping]] = ..., keep: _Optional[_Union[Kupferkessel.Keep, _Mapping]] = ..., discard: _Optional[_Union[Kupferkessel.Discard, _Mapping]] = ...) -> None: ...
    class Use(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Skip(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Keep(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Discard(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Event(_message.Message):
        __slots__ = ("kind", "seat", "steps", "stop", "cell", "card", "flag", "cards", "ending", "recipes")
        KIND_FIELD_NUMBER: _ClassVar[int]
        SEAT_FIELD_NUMBER: _ClassVar[int]
        STEPS_FIELD_NUMBER: _ClassVar[int]
        STOP_FIELD_NUMBER: _ClassVar[int]
        CELL_FIELD_NUMBER: _ClassVar[int]
        CARD_FIELD_NUMBER: _ClassVar[int]
        FLAG_FIELD_NUMBER: _ClassVar[int]
        CARDS_FIELD_NUMBER: _ClassVar[int]
        ENDING_FIELD_NUMBER: _ClassVar[int]
        RECIPES_FIELD_NUMBER: _ClassVar[int]
        kind: Kupferkessel.EventKind
        seat: int
        steps: int
        stop: int
        cell: int
        card: Kupferkessel.Card
        flag: bool
        cards: _containers.RepeatedScalarFieldContainer[Kupferkessel.Card]
        ending: Kupferkessel.Ending
        recipes: _containers.RepeatedScalarFieldContainer[Kupferkessel.Recipe]
        def __init__(self, kind: _Optional[_Union[Kupferkessel.EventKind, str]] = ..., seat: _Optional[int] = ..., steps: _Optional[int] = ..., stop: _Optional[int] = ..., cell: _Optional[int] = ..., card: _Optional[_Union[Kupferkessel.Card, str]] = ..., flag: _Optional[bool] = ..., cards: _Optional[_Iterable[_Union[Kupferkessel.Card, str]]] = ..., ending: _Optional[_Union[Kupferkessel.Ending, str]] = ..., recipes: _Optional[_Iterable[_Union[Kupferkessel.Recipe, str]]] = ...) -> None: ...
    class View(_message.Message):
        __slots__ = ("phase", "turn", "turn_number", "steps", "board", "pile_size", "stops", "tops", "heights", "out", "colours", "symbols", "recipes", "recipe_owners", "last_card", "ending", "ender", "cauldron_cards", "cauldron_owners")
        PHASE_FIELD_NUMBER: _ClassVar[int]
        TURN_FIELD_NUMBER: _ClassVar[int]
        TURN_NUMBER_FIELD_NUMBER: _ClassVar[int]
        STEPS_FIELD_NUMBER: _ClassVar[int]
        BOARD_FIELD_NUMBER: _ClassVar[int]
        PILE_SIZE_FIELD_NUMBER: _ClassVar[int]
        STOPS_FIELD_NUMBER: _ClassVar[int]
        TOPS_FIELD_NUMBER: _ClassVar[int]
        HEIGHTS_FIELD_NUMBER: _ClassVar[int]
        OUT_FIELD_NUMBER: _ClassVar[int]
        COLOURS_FIELD_NUMBER: _ClassVar[int]
        SYMBOLS_FIELD_NUMBER: _ClassVar[int]
        RECIPES_FIELD_NUMBER: _ClassVar[int]
        RECIPE_OWNERS_FIELD_NUMBER: _ClassVar[int]
        LAST_CARD_FIELD_NUMBER: _ClassVar[int]
        ENDING_FIELD_NUMBER: _ClassVar[int]
        ENDER_FIELD_NUMBER: _ClassVar[int]
        CAULDRON_CARDS_FIELD_NUMBER: _ClassVar[int]
        CAULDRON_OWNERS_FIELD_NUMBER: _ClassVar[int]
        phase: Kupferkessel.Phase
        turn: int
        turn_number: int
        steps: int
        board: _containers.RepeatedScalarFieldContainer[Kupferkessel.Card]
        pile_size: int
        stops: _containers.RepeatedScalarFieldContainer[int]
        tops: _containers.RepeatedScalarFieldContainer[Kupferkessel.Card]
        heights: _containers.RepeatedScalarFieldContainer[int]
        out: _containers.RepeatedScalarFieldContainer[Kupferkessel.Card]
        colours: _containers.RepeatedScalarFieldContainer[Kupferkessel.Colour]
        symbols: Kupferkessel.Symbols
        recipes: _containers.RepeatedScalarFieldContainer[Kupferkessel.Recipe]
        recipe_owners: _containers.RepeatedScalarFieldContainer[int]
        last_card: Kupferkessel.Card
        ending: Kupferkessel.Ending
        ender: int
        cauldron_cards: _containers.RepeatedScalarFieldContainer[Kupferkessel.Card]
        cauldron_owners: _containers.RepeatedScalarFieldContainer[int]
        def __init__(self, phase: _Optional[_Union[Kupferkessel.Phase, str]] = ..., turn: _Optional[int] = ..., turn_number: _Optional[int] = ..., steps: _Optional[int] = ..., board: _Optional[_Iterable[_Union[Kupferkessel.Card, str]]] = ..., pile_size: _Optional[int] = ..., stops: _Optional[_Iterable[int]] = ..., tops: _Optional[_Iterable[_Union[Kupferkessel.Card, str]]] = ..., heights: _Optional[_Iterable[int]] = ..., out: _Optional[_Iterable[_Union[Kupferkessel.Card, str]]] = ..., colours: _Optional[_Iterable[_Union[Kupferkessel.Colour, str]]] = ..., symbols: _Optional[_Union[Kupferkessel.Symbols, str]] = ..., recipes: _Optional[_Iterable[_Union[Kupferkessel.Recipe, str]]] = ..., recipe_owners: _Optional[_Iterable[int]] = ..., last_card: _Optional[_Union[Kupferkessel.Card, str]] = ..., ending: _Optional[_Union[Kupferkessel.Ending, str]] = ..., ender: _Optional[int] = ..., cauldron_cards: _Optional[_Iterable[_Union[Kupferkessel.Card, str]]] = ..., cauldron_owners: _Optional[_Iterable[int]] = ...) -> None: ...
    class Situation(_message.Message):
        __slots__ = ("view", "events")
        VIEW_FIELD_NUMBER: _ClassVar[int]
        EVENTS_FIELD_NUMBER: _ClassVar[int]
        view: Kupferkessel.View
        events: _containers.RepeatedCompositeFieldContainer[Kupferkessel.Event]
        def __init__(self, view: _Optional[_Union[Kupferkessel.View, _Mapping]] = ..., events: _Optional[_Iterable[_Union[Kupferkessel.Event, _Mapping]]] = ...) -> None: ...
    def __init__(self) -> None: ...
