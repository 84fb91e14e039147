from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Glastonbury(_message.Message):
    __slots__ = ()
    class Card(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        CARD_UNSPECIFIED: _ClassVar[Glastonbury.Card]
        CARD_YA1: _ClassVar[Glastonbury.Card]
        CARD_YA2: _ClassVar[Glastonbury.Card]
        CARD_YA3: _ClassVar[Glastonbury.Card]
        CARD_YA4: _ClassVar[Glastonbury.Card]
        CARD_YB1: _ClassVar[Glastonbury.Card]
        CARD_YB2: _ClassVar[Glastonbury.Card]
        CARD_YB3: _ClassVar[Glastonbury.Card]
        CARD_YB4: _ClassVar[Glastonbury.Card]
        CARD_GA1: _ClassVar[Glastonbury.Card]
        CARD_GA2: _ClassVar[Glastonbury.Card]
        CARD_GA3: _ClassVar[Glastonbury.Card]
        CARD_GA4: _ClassVar[Glastonbury.Card]
        CARD_GB1: _ClassVar[Glastonbury.Card]
        CARD_GB2: _ClassVar[Glastonbury.Card]
        CARD_GB3: _ClassVar[Glastonbury.Card]
        CARD_GB4: _ClassVar[Glastonbury.Card]
        CARD_RA1: _ClassVar[Glastonbury.Card]
        CARD_RA2: _ClassVar[Glastonbury.Card]
        CARD_RA3: _ClassVar[Glastonbury.Card]
        CARD_RA4: _ClassVar[Glastonbury.Card]
        CARD_RB1: _ClassVar[Glastonbury.Card]
        CARD_RB2: _ClassVar[Glastonbury.Card]
        CARD_RB3: _ClassVar[Glastonbury.Card]
        CARD_RB4: _ClassVar[Glastonbury.Card]
        CARD_BA1: _ClassVar[Glastonbury.Card]
        CARD_BA2: _ClassVar[Glastonbury.Card]
        CARD_BA3: _ClassVar[Glastonbury.Card]
        CARD_BA4: _ClassVar[Glastonbury.Card]
        CARD_BB1: _ClassVar[Glastonbury.Card]
        CARD_BB2: _ClassVar[Glastonbury.Card]
        CARD_BB3: _ClassVar[Glastonbury.Card]
        CARD_BB4: _ClassVar[Glastonbury.Card]
        CARD_OA1: _ClassVar[Glastonbury.Card]
        CARD_OA2: _ClassVar[Glastonbury.Card]
        CARD_OA3: _ClassVar[Glastonbury.Card]
        CARD_OA4: _ClassVar[Glastonbury.Card]
        CARD_OB1: _ClassVar[Glastonbury.Card]
        CARD_OB2: _ClassVar[Glastonbury.Card]
        CARD_OB3: _ClassVar[Glastonbury.Card]
        CARD_OB4: _ClassVar[Glastonbury.Card]
        CARD_PA1: _ClassVar[Glastonbury.Card]
        CARD_PA2: _ClassVar[Glastonbury.Card]
        CARD_PA3: _ClassVar[Glastonbury.Card]
        CARD_PA4: _ClassVar[Glastonbury.Card]
        CARD_PB1: _ClassVar[Glastonbury.Card]
        CARD_PB2: _ClassVar[Glastonbury.Card]
        CARD_PB3: _ClassVar[Glastonbury.Card]
        CARD_PB4: _ClassVar[Glastonbury.Card]
        CARD_WA1: _ClassVar[Glastonbury.Card]
        CARD_WA2: _ClassVar[Glastonbury.Card]
        CARD_WA3: _ClassVar[Glastonbury.Card]
        CARD_WA4: _ClassVar[Glastonbury.Card]
        CARD_WB1: _ClassVar[Glastonbury.Card]
        CARD_WB2: _ClassVar[Glastonbury.Card]
        CARD_WB3: _ClassVar[Glastonbury.Card]
        CARD_WB4: _ClassVar[Glastonbury.Card]
        CARD_NA1: _ClassVar[Glastonbury.Card]
        CARD_NA2: _ClassVar[Glastonbury.Card]
        CARD_NA3: _ClassVar[Glastonbury.Card]
        CARD_NA4: _ClassVar[Glastonbury.Card]
        CARD_NB1: _ClassVar[Glastonbury.Card]
        CARD_NB2: _ClassVar[Glastonbury.Card]
        CARD_NB3: _ClassVar[Glastonbury.Card]
        CARD_NB4: _ClassVar[Glastonbury.Card]
        CARD_SA1: _ClassVar[Glastonbury.Card]
        CARD_SA2: _ClassVar[Glastonbury.Card]
        CARD_SA3: _ClassVar[Glastonbury.Card]
        CARD_SA4: _ClassVar[Glastonbury.Card]
        CARD_SB1: _ClassVar[Glastonbury.Card]
        CARD_SB2: _ClassVar[Glastonbury.Card]
        CARD_SB3: _ClassVar[Glastonbury.Card]
        CARD_SB4: _ClassVar[Glastonbury.Card]
        CARD_IMMUTO: _ClassVar[Glastonbury.Card]
        CARD_ACCIO: _ClassVar[Glastonbury.Card]
        CARD_DECLINATIO: _ClassVar[Glastonbury.Card]
        CARD_PERLUCEO: _ClassVar[Glastonbury.Card]
        CARD_VANESCO: _ClassVar[Glastonbury.Card]
    CARD_UNSPECIFIED: Glastonbury.Card
    CARD_YA1: Glastonbury.Card
    CARD_YA2: Glastonbury.Card
    CARD_YA3: Glastonbury.Card
    CARD_YA4: Glastonbury.Card
    CARD_YB1: Glastonbury.Card
    CARD_YB2: Glastonbury.Card
    CARD_YB3: Glastonbury.Card
    CARD_YB4: Glastonbury.Card
    CARD_GA1: Glastonbury.Card
    CARD_GA2: Glastonbury.Card
    CARD_GA3: Glastonbury.Card
    CARD_GA4: Glastonbury.Card
    CARD_GB1: Glastonbury.Card
    CARD_GB2: Glastonbury.Card
    CARD_GB3: Glastonbury.Card
    CARD_GB4: Glastonbury.Card
    CARD_RA1: Glastonbury.Card
    CARD_RA2: Glastonbury.Card
    CARD_RA3: Glastonbury.Card
    CARD_RA4: Glastonbury.Card
    CARD_RB1: Glastonbury.Card
    CARD_RB2: Glastonbury.Card
    CARD_RB3: Glastonbury.Card
    CARD_RB4: Glastonbury.Card
    CARD_BA1: Glastonbury.Card
    CARD_BA2: Glastonbury.Card
    CARD_BA3: Glastonbury.Card
    CARD_BA4: Glastonbury.Card
    CARD_BB1: Glastonbury.Card
    CARD_BB2: Glastonbury.Card
    CARD_BB3: Glastonbury.Card
    CARD_BB4: Glastonbury.Card
    CARD_OA1: Glastonbury.Card
    CARD_OA2: Glastonbury.Card
    CARD_OA3: Glastonbury.Card
    CARD_OA4: Glastonbury.Card
    CARD_OB1: Glastonbury.Card
    CARD_OB2: Glastonbury.Card
    CARD_OB3: Glastonbury.Card
    CARD_OB4: Glastonbury.Card
    CARD_PA1: Glastonbury.Card
    CARD_PA2: Glastonbury.Card
    CARD_PA3: Glastonbury.Card
    CARD_PA4: Glastonbury.Card
    CARD_PB1: Glastonbury.Card
    CARD_PB2: Glastonbury.Card
    CARD_PB3: Glastonbury.Card
    CARD_PB4: Glastonbury.Card
    CARD_WA1: Glastonbury.Card
    CARD_WA2: Glastonbury.Card
    CARD_WA3: Glastonbury.Card
    CARD_WA4: Glastonbury.Card
    CARD_WB1: Glastonbury.Card
    CARD_WB2: Glastonbury.Card
    CARD_WB3: Glastonbury.Card
    CARD_WB4: Glastonbury.Card
    CARD_NA1: Glastonbury.Card
    CARD_NA2: Glastonbury.Card
    CARD_NA3: Glastonbury.Card
    CARD_NA4: Glastonbury.Card
    CARD_NB1: Glastonbury.Card
    CARD_NB2: Glastonbury.Card
    CARD_NB3: Glastonbury.Card
    CARD_NB4: Glastonbury.Card
    CARD_SA1: Glastonbury.Card
    CARD_SA2: Glastonbury.Card
    CARD_SA3: Glastonbury.Card
    CARD_SA4: Glastonbury.Card
    CARD_SB1: Glastonbury.Card
    CARD_SB2: Glastonbury.Card
    CARD_SB3: Glastonbury.Card
    CARD_SB4: Glastonbury.Card
    CARD_IMMUTO: Glastonbury.Card
    CARD_ACCIO: Glastonbury.Card
    CARD_DECLINATIO: Glastonbury.Card
    CARD_PERLUCEO: Glastonbury.Card
    CARD_VANESCO: Glastonbury.Card
    class Ingredient(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        INGREDIENT_UNSPECIFIED: _ClassVar[Glastonbury.Ingredient]
        INGREDIENT_YA: _ClassVar[Glastonbury.Ingredient]
        INGREDIENT_YB: _ClassVar[Glastonbury.Ingredient]
        INGREDIENT_GA: _ClassVar[Glastonbury.Ingredient]
        INGREDIENT_GB: _ClassVar[Glastonbury.Ingredient]
        INGREDIENT_RA: _ClassVar[Glastonbury.Ingredient]
        INGREDIENT_RB: _ClassVar[Glastonbury.Ingredient]
        INGREDIENT_BA: _ClassVar[Glastonbury.Ingredient]
        INGREDIENT_BB: _ClassVar[Glastonbury.Ingredient]
        INGREDIENT_OA: _ClassVar[Glastonbury.Ingredient]
        INGREDIENT_OB: _ClassVar[Glastonbury.Ingredient]
        INGREDIENT_PA: _ClassVar[Glastonbury.Ingredient]
        INGREDIENT_PB: _ClassVar[Glastonbury.Ingredient]
        INGREDIENT_WA: _ClassVar[Glastonbury.Ingredient]
        INGREDIENT_WB: _ClassVar[Glastonbury.Ingredient]
        INGREDIENT_NA: _ClassVar[Glastonbury.Ingredient]
        INGREDIENT_NB: _ClassVar[Glastonbury.Ingredient]
        INGREDIENT_SA: _ClassVar[Glastonbury.Ingredient]
        INGREDIENT_SB: _ClassVar[Glastonbury.Ingredient]
    INGREDIENT_UNSPECIFIED: Glastonbury.Ingredient
    INGREDIENT_YA: Glastonbury.Ingredient
    INGREDIENT_YB: Glastonbury.Ingredient
    INGREDIENT_GA: Glastonbury.Ingredient
    INGREDIENT_GB: Glastonbury.Ingredient
    INGREDIENT_RA: Glastonbury.Ingredient
    INGREDIENT_RB: Glastonbury.Ingredient
    INGREDIENT_BA: Glastonbury.Ingredient
    INGREDIENT_BB: Glastonbury.Ingredient
    INGREDIENT_OA: Glastonbury.Ingredient
    INGREDIENT_OB: Glastonbury.Ingredient
    INGREDIENT_PA: Glastonbury.Ingredient
    INGREDIENT_PB: Glastonbury.Ingredient
    INGREDIENT_WA: Glastonbury.Ingredient
    INGREDIENT_WB: Glastonbury.Ingredient
    INGREDIENT_NA: Glastonbury.Ingredient
    INGREDIENT_NB: Glastonbury.Ingredient
    INGREDIENT_SA: Glastonbury.Ingredient
    INGREDIENT_SB: Glastonbury.Ingredient
    class Colour(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        COLOUR_UNSPECIFIED: _ClassVar[Glastonbury.Colour]
        COLOUR_YELLOW: _ClassVar[Glastonbury.Colour]
        COLOUR_GREEN: _ClassVar[Glastonbury.Colour]
        COLOUR_RED: _ClassVar[Glastonbury.Colour]
        COLOUR_BLUE: _ClassVar[Glastonbury.Colour]
        COLOUR_ORANGE: _ClassVar[Glastonbury.Colour]
        COLOUR_PURPLE: _ClassVar[Glastonbury.Colour]
        COLOUR_WHITE: _ClassVar[Glastonbury.Colour]
        COLOUR_BROWN: _ClassVar[Glastonbury.Colour]
        COLOUR_GREY: _ClassVar[Glastonbury.Colour]
    COLOUR_UNSPECIFIED: Glastonbury.Colour
    COLOUR_YELLOW: Glastonbury.Colour
    COLOUR_GREEN: Glastonbury.Colour
    COLOUR_RED: Glastonbury.Colour
    COLOUR_BLUE: Glastonbury.Colour
    COLOUR_ORANGE: Glastonbury.Colour
    COLOUR_PURPLE: Glastonbury.Colour
    COLOUR_WHITE: Glastonbury.Colour
    COLOUR_BROWN: Glastonbury.Colour
    COLOUR_GREY: Glastonbury.Colour
    class Task(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        TASK_UNSPECIFIED: _ClassVar[Glastonbury.Task]
        TASK_FEWEST_CARDS: _ClassVar[Glastonbury.Task]
        TASK_FEWEST_FOURS: _ClassVar[Glastonbury.Task]
        TASK_FEWEST_SPELLS: _ClassVar[Glastonbury.Task]
        TASK_MOST_ONES: _ClassVar[Glastonbury.Task]
        TASK_ENDED_GAME: _ClassVar[Glastonbury.Task]
    TASK_UNSPECIFIED: Glastonbury.Task
    TASK_FEWEST_CARDS: Glastonbury.Task
    TASK_FEWEST_FOURS: Glastonbury.Task
    TASK_FEWEST_SPELLS: Glastonbury.Task
    TASK_MOST_ONES: Glastonbury.Task
    TASK_ENDED_GAME: Glastonbury.Task
    class Phase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        PHASE_UNSPECIFIED: _ClassVar[Glastonbury.Phase]
        PHASE_CORNER: _ClassVar[Glastonbury.Phase]
        PHASE_TAKE: _ClassVar[Glastonbury.Phase]
        PHASE_TAKE_AFTER_DECLINATIO: _ClassVar[Glastonbury.Phase]
        PHASE_KEEP: _ClassVar[Glastonbury.Phase]
        PHASE_IMMUTO: _ClassVar[Glastonbury.Phase]
        PHASE_OVER: _ClassVar[Glastonbury.Phase]
    PHASE_UNSPECIFIED: Glastonbury.Phase
    PHASE_CORNER: Glastonbury.Phase
    PHASE_TAKE: Glastonbury.Phase
    PHASE_TAKE_AFTER_DECLINATIO: Glastonbury.Phase
    PHASE_KEEP: Glastonbury.Phase
    PHASE_IMMUTO: Glastonbury.Phase
    PHASE_OVER: Glastonbury.Phase
    class Ending(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        ENDING_UNSPECIFIED: _ClassVar[Glastonbury.Ending]
        ENDING_LINE_EMPTIED: _ClassVar[Glastonbury.Ending]
        ENDING_DEAD_END: _ClassVar[Glastonbury.Ending]
    ENDING_UNSPECIFIED: Glastonbury.Ending
    ENDING_LINE_EMPTIED: Glastonbury.Ending
    ENDING_DEAD_END: Glastonbury.Ending
    class EventKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        EVENT_KIND_UNSPECIFIED: _ClassVar[Glastonbury.EventKind]
        EVENT_KIND_MOVED: _ClassVar[Glastonbury.EventKind]
        EVENT_KIND_PASSED: _ClassVar[Glastonbury.EventKind]
        EVENT_KIND_USED_DECLINATIO: _ClassVar[Glastonbury.EventKind]
        EVENT_KIND_TOOK: _ClassVar[Glastonbury.EventKind]
        EVENT_KIND_REFILLED: _ClassVar[Glastonbury.EventKind]
        EVENT_KIND_LOST: _ClassVar[Glastonbury.EventKind]
        EVENT_KIND_LOOKED: _ClassVar[Glastonbury.EventKind]
        EVENT_KIND_ENDED: _ClassVar[Glastonbury.EventKind]
        EVENT_KIND_KEPT: _ClassVar[Glastonbury.EventKind]
        EVENT_KIND_DISCARDED: _ClassVar[Glastonbury.EventKind]
        EVENT_KIND_CAULDRON_OPENED: _ClassVar[Glastonbury.EventKind]
        EVENT_KIND_IMMUTO_ASSIGNED: _ClassVar[Glastonbury.EventKind]
        EVENT_KIND_RECIPES_OPENED: _ClassVar[Glastonbury.EventKind]
    EVENT_KIND_UNSPECIFIED: Glastonbury.EventKind
    EVENT_KIND_MOVED: Glastonbury.EventKind
    EVENT_KIND_PASSED: Glastonbury.EventKind
    EVENT_KIND_USED_DECLINATIO: Glastonbury.EventKind
    EVENT_KIND_TOOK: Glastonbury.EventKind
    EVENT_KIND_REFILLED: Glastonbury.EventKind
    EVENT_KIND_LOST: Glastonbury.EventKind
    EVENT_KIND_LOOKED: Glastonbury.EventKind
    EVENT_KIND_ENDED: Glastonbury.EventKind
    EVENT_KIND_KEPT: Glastonbury.EventKind
    EVENT_KIND_DISCARDED: Glastonbury.EventKind
    EVENT_KIND_CAULDRON_OPENED: Glastonbury.EventKind
    EVENT_KIND_IMMUTO_ASSIGNED: Glastonbury.EventKind
    EVENT_KIND_RECIPES_OPENED: Glastonbury.EventKind
    class Options(_message.Message):
        __slots__ = ("recipes", "colours", "dead_end_counts_as_end")
        RECIPES_FIELD_NUMBER: _ClassVar[int]
        COLOURS_FIELD_NUMBER: _ClassVar[int]
        DEAD_END_COUNTS_AS_END_FIELD_NUMBER: _ClassVar[int]
        recipes: bool
        colours: _containers.RepeatedScalarFieldContainer[Glastonbury.Colour]
        dead_end_counts_as_end: bool
        def __init__(self, recipes: _Optional[bool] = ..., colours: _Optional[_Iterable[_Union[Glastonbury.Colour, str]]] = ..., dead_end_counts_as_end: _Optional[bool] = ...) -> None: ...
    class Move(_message.Message):
        __slots__ = ("take", "declinatio", "keep", "discard", "immuto")
        TAKE_FIELD_NUMBER: _ClassVar[int]
        DECLINATIO_FIELD_NUMBER: _ClassVar[int]
        PASS_FIELD_NUMBER: _ClassVar[int]
        KEEP_FIELD_NUMBER: _ClassVar[int]
        DISCARD_FIELD_NUMBER: _ClassVar[int]
        IMMUTO_FIELD_NUMBER: _ClassVar[int]
        take: int
        declinatio: Glastonbury.Declinatio
        keep: Glastonbury.Keep
        discard: Glastonbury.Discard
        immuto: Glastonbury.AssignImmuto
        def __init__(self, take: _Optional[int] = ..., declinatio: _Optional[_Union[Glastonbury.Declinatio, _Mapping]] = ..., keep: _Optional[_Union[Glastonbury.Keep, _Mapping]] = ..., discard: _Optional[_Union[Glastonbury.Discard, _Mapping]] = ..., immuto: _Optional[_Union[Glastonbury.AssignImmuto, _Mapping]] = ..., **kwargs) -> None: ...
    class Declinatio(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Pass(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Keep(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Discard(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class AssignImmuto(_message.Message):
        __slots__ = ("ingredients",)
        INGREDIENTS_FIELD_NUMBER: _ClassVar[int]
        ingredients: _containers.RepeatedScalarFieldContainer[Glastonbury.Ingredient]
        def __init__(self, ingredients: _Optional[_Iterable[_Union[Glastonbury.Ingredient, str]]] = ...) -> None: ...
    class Event(_message.Message):
        __slots__ = ("kind", "seat", "steps", "stop", "cell", "card", "flag", "cards", "ingredients", "ending", "colour", "task")
        KIND_FIELD_NUMBER: _ClassVar[int]
        SEAT_FIELD_NUMBER: _ClassVar[int]
        STEPS_FIELD_NUMBER: _ClassVar[int]
        STOP_FIELD_NUMBER: _ClassVar[int]
        CELL_FIELD_NUMBER: _ClassVar[int]
        CARD_FIELD_NUMBER: _ClassVar[int]
        FLAG_FIELD_NUMBER: _ClassVar[int]
        CARDS_FIELD_NUMBER: _ClassVar[int]
        INGREDIENTS_FIELD_NUMBER: _ClassVar[int]
        ENDING_FIELD_NUMBER: _ClassVar[int]
        COLOUR_FIELD_NUMBER: _ClassVar[int]
        TASK_FIELD_NUMBER: _ClassVar[int]
        kind: Glastonbury.EventKind
        seat: int
        steps: int
        stop: int
        cell: int
        card: Glastonbury.Card
        flag: bool
        cards: _containers.RepeatedScalarFieldContainer[Glastonbury.Card]
        ingredients: _containers.RepeatedScalarFieldContainer[Glastonbury.Ingredient]
        ending: Glastonbury.Ending
        colour: Glastonbury.Colour
        task: Glastonbury.Task
        def __init__(self, kind: _Optional[_Union[Glastonbury.EventKind, str]] = ..., seat: _Optional[int] = ..., steps: _Optional[int] = ..., stop: _Optional[int] = ..., cell: _Optional[int] = ..., card: _Optional[_Union[Glastonbury.Card, str]] = ..., flag: _Optional[bool] = ..., cards: _Optional[_Iterable[_Union[Glastonbury.Card, str]]] = ..., ingredients: _Optional[_Iterable[_Union[Glastonbury.Ingredient, str]]] = ..., ending: _Optional[_Union[Glastonbury.Ending, str]] = ..., colour: _Optional[_Union[Glastonbury.Colour, str]] = ..., task: _Optional[_Union[Glastonbury.Task, str]] = ...) -> None: ...
    class View(_message.Message):
        __slots__ = ("phase", "turn", "steps", "board", "pile_size", "stops", "tops", "heights", "accio", "declinatio", "spells", "spell_owners", "out", "colours", "removed_colour", "recipe_colours", "recipe_tasks", "last_card", "ending", "ender", "cauldron_cards", "cauldron_owners", "immuto_ingredients", "immuto_owners")
        PHASE_FIELD_NUMBER: _ClassVar[int]
        TURN_FIELD_NUMBER: _ClassVar[int]
        STEPS_FIELD_NUMBER: _ClassVar[int]
        BOARD_FIELD_NUMBER: _ClassVar[int]
        PILE_SIZE_FIELD_NUMBER: _ClassVar[int]
        STOPS_FIELD_NUMBER: _ClassVar[int]
        TOPS_FIELD_NUMBER: _ClassVar[int]
        HEIGHTS_FIELD_NUMBER: _ClassVar[int]
        ACCIO_FIELD_NUMBER: _ClassVar[int]
        DECLINATIO_FIELD_NUMBER: _ClassVar[int]
        SPELLS_FIELD_NUMBER: _ClassVar[int]
        SPELL_OWNERS_FIELD_NUMBER: _ClassVar[int]
        OUT_FIELD_NUMBER: _ClassVar[int]
        COLOURS_FIELD_NUMBER: _ClassVar[int]
        REMOVED_COLOUR_FIELD_NUMBER: _ClassVar[int]
        RECIPE_COLOURS_FIELD_NUMBER: _ClassVar[int]
        RECIPE_TASKS_FIELD_NUMBER: _ClassVar[int]
        LAST_CARD_FIELD_NUMBER: _ClassVar[int]
        ENDING_FIELD_NUMBER: _ClassVar[int]
        ENDER_FIELD_NUMBER: _ClassVar[int]
        CAULDRON_CARDS_FIELD_NUMBER: _ClassVar[int]
        CAULDRON_OWNERS_FIELD_NUMBER: _ClassVar[int]
        IMMUTO_INGREDIENTS_FIELD_NUMBER: _ClassVar[int]
        IMMUTO_OWNERS_FIELD_NUMBER: _ClassVar[int]
        phase: Glastonbury.Phase
        turn: int
        steps: int
        board: _containers.RepeatedScalarFieldContainer[Glastonbury.Card]
        pile_size: int
        stops: _containers.RepeatedScalarFieldContainer[int]
        tops: _containers.RepeatedScalarFieldContainer[Glastonbury.Card]
        heights: _containers.RepeatedScalarFieldContainer[int]
        accio: _containers.RepeatedScalarFieldContainer[int]
        declinatio: _containers.RepeatedScalarFieldContainer[int]
        spells: _containers.RepeatedScalarFieldContainer[Glastonbury.Card]
        spell_owners: _containers.RepeatedScalarFieldContainer[int]
        out: _containers.RepeatedScalarFieldContainer[Glastonbury.Card]
        colours: _containers.RepeatedScalarFieldContainer[Glastonbury.Colour]
        removed_colour: Glastonbury.Colour
        recipe_colours: _containers.RepeatedScalarFieldContainer[Glastonbury.Colour]
        recipe_tasks: _containers.RepeatedScalarFieldContainer[Glastonbury.Task]
        last_card: Glastonbury.Card
        ending: Glastonbury.Ending
        ender: int
        cauldron_cards: _containers.RepeatedScalarFieldContainer[Glastonbury.Card]
        cauldron_owners: _containers.RepeatedScalarFieldContainer[int]
        immuto_ingredients: _containers.RepeatedScalarFieldContainer[Glastonbury.Ingredient]
        immuto_owners: _containers.RepeatedScalarFieldContainer[int]
        def __init__(self, phase: _Optional[_Union[Glastonbury.Phase, str]] = ..., turn: _Optional[int] = ..., steps: _Optional[int] = ..., board: _Optional[_Iterable[_Union[Glastonbury.Card, str]]] = ..., pile_size: _Optional[int] = ..., stops: _Optional[_Iterable[int]] = ..., tops: _Optional[_Iterable[_Union[Glastonbury.Card, str]]] = ..., heights: _Optional[_Iterable[int]] = ..., accio: _Optional[_Iterable[int]] = ..., declinatio: _Optional[_Iterable[int]] = ..., spells: _Optional[_Iterable[_Union[Glastonbury.Card, str]]] = ..., spell_owners: _Optional[_Iterable[int]] = ..., out: _Optional[_Iterable[_Union[Glastonbury.Card, str]]] = ..., colours: _Optional[_Iterable[_Union[Glastonbury.Colour, str]]] = ..., removed_colour: _Optional[_Union[Glastonbury.Colour, str]] = ..., recipe_colours: _Optional[_Iterable[_Union[Glastonbury.Colour, str]]] = ..., recipe_tasks: _Optional[_Iterable[_Union[Glastonbury.Task, str]]] = ..., last_card: _Optional[_Union[Glastonbury.Card, str]] = ..., ending: _Optional[_Union[Glastonbury.Ending, str]] = ..., ender: _Optional[int] = ..., cauldron_cards: _Optional[_Iterable[_Union[Glastonbury.Card, str]]] = ..., cauldron_owners: _Optional[_Iterable[int]] = ..., immuto_ingredients: _Optional[_Iterable[_Union[Glastonbury.Ingredient, str]]] = ..., immuto_owners: _Optional[_Iterable[int]] = ...) -> None: ...
    class Situation(_message.Message):
        __slots__ = ("view", "events")
        VIEW_FIELD_NUMBER: _ClassVar[int]
        EVENTS_FIELD_NUMBER: _ClassVar[int]
        view: Glastonbury.View
        events: _containers.RepeatedCompositeFieldContainer[Glastonbury.Event]
        def __init__(self, view: _Optional[_Union[Glastonbury.View, _Mapping]] = ..., events: _Optional[_Iterable[_Union[Glastonbury.Event, _Mapping]]] = ...) -> None: ...
    def __init__(self) -> None: ...
