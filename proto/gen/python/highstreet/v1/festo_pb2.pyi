from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Festo(_message.Message):
    __slots__ = ()
    class Cube(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        CUBE_UNSPECIFIED: _ClassVar[Festo.Cube]
        CUBE_MEAT: _ClassVar[Festo.Cube]
        CUBE_HONEY: _ClassVar[Festo.Cube]
        CUBE_SPICE: _ClassVar[Festo.Cube]
        CUBE_MUSHROOM: _ClassVar[Festo.Cube]
        CUBE_FRUIT: _ClassVar[Festo.Cube]
        CUBE_POTATO: _ClassVar[Festo.Cube]
        CUBE_SALT: _ClassVar[Festo.Cube]
    CUBE_UNSPECIFIED: Festo.Cube
    CUBE_MEAT: Festo.Cube
    CUBE_HONEY: Festo.Cube
    CUBE_SPICE: Festo.Cube
    CUBE_MUSHROOM: Festo.Cube
    CUBE_FRUIT: Festo.Cube
    CUBE_POTATO: Festo.Cube
    CUBE_SALT: Festo.Cube
    class Spot(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        SPOT_UNSPECIFIED: _ClassVar[Festo.Spot]
        SPOT_TROLL: _ClassVar[Festo.Spot]
        SPOT_PIXIES: _ClassVar[Festo.Spot]
        SPOT_ORC: _ClassVar[Festo.Spot]
        SPOT_MAGICIAN: _ClassVar[Festo.Spot]
        SPOT_ELF: _ClassVar[Festo.Spot]
        SPOT_DWARF: _ClassVar[Festo.Spot]
        SPOT_GROCER: _ClassVar[Festo.Spot]
    SPOT_UNSPECIFIED: Festo.Spot
    SPOT_TROLL: Festo.Spot
    SPOT_PIXIES: Festo.Spot
    SPOT_ORC: Festo.Spot
    SPOT_MAGICIAN: Festo.Spot
    SPOT_ELF: Festo.Spot
    SPOT_DWARF: Festo.Spot
    SPOT_GROCER: Festo.Spot
    class Dish(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        DISH_UNSPECIFIED: _ClassVar[Festo.Dish]
        DISH_DRINK_M: _ClassVar[Festo.Dish]
        DISH_DRINK_H: _ClassVar[Festo.Dish]
        DISH_DRINK_S: _ClassVar[Festo.Dish]
        DISH_DRINK_U: _ClassVar[Festo.Dish]
        DISH_DRINK_F: _ClassVar[Festo.Dish]
        DISH_DRINK_P: _ClassVar[Festo.Dish]
        DISH_STARTER_M: _ClassVar[Festo.Dish]
        DISH_STARTER_H: _ClassVar[Festo.Dish]
        DISH_STARTER_S: _ClassVar[Festo.Dish]
        DISH_STARTER_U: _ClassVar[Festo.Dish]
        DISH_STARTER_F: _ClassVar[Festo.Dish]
        DISH_STARTER_P: _ClassVar[Festo.Dish]
        DISH_SIDE_M: _ClassVar[Festo.Dish]
        DISH_SIDE_H: _ClassVar[Festo.Dish]
        DISH_SIDE_S: _ClassVar[Festo.Dish]
        DISH_SIDE_U: _ClassVar[Festo.Dish]
        DISH_SIDE_F: _ClassVar[Festo.Dish]
        DISH_SIDE_P: _ClassVar[Festo.Dish]
        DISH_DESSERT_M: _ClassVar[Festo.Dish]
        DISH_DESSERT_H: _ClassVar[Festo.Dish]
        DISH_DESSERT_S: _ClassVar[Festo.Dish]
        DISH_DESSERT_U: _ClassVar[Festo.Dish]
        DISH_DESSERT_F: _ClassVar[Festo.Dish]
        DISH_DESSERT_P: _ClassVar[Festo.Dish]
        DISH_ROAST: _ClassVar[Festo.Dish]
        DISH_MAIN: _ClassVar[Festo.Dish]
    DISH_UNSPECIFIED: Festo.Dish
    DISH_DRINK_M: Festo.Dish
    DISH_DRINK_H: Festo.Dish
    DISH_DRINK_S: Festo.Dish
    DISH_DRINK_U: Festo.Dish
    DISH_DRINK_F: Festo.Dish
    DISH_DRINK_P: Festo.Dish
    DISH_STARTER_M: Festo.Dish
    DISH_STARTER_H: Festo.Dish
    DISH_STARTER_S: Festo.Dish
    DISH_STARTER_U: Festo.Dish
    DISH_STARTER_F: Festo.Dish
    DISH_STARTER_P: Festo.Dish
    DISH_SIDE_M: Festo.Dish
    DISH_SIDE_H: Festo.Dish
    DISH_SIDE_S: Festo.Dish
    DISH_SIDE_U: Festo.Dish
    DISH_SIDE_F: Festo.Dish
    DISH_SIDE_P: Festo.Dish
    DISH_DESSERT_M: Festo.Dish
    DISH_DESSERT_H: Festo.Dish
    DISH_DESSERT_S: Festo.Dish
    DISH_DESSERT_U: Festo.Dish
    DISH_DESSERT_F: Festo.Dish
    DISH_DESSERT_P: Festo.Dish
    DISH_ROAST: Festo.Dish
    DISH_MAIN: Festo.Dish
    class Category(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        CATEGORY_UNSPECIFIED: _ClassVar[Festo.Category]
        CATEGORY_DRINK: _ClassVar[Festo.Category]
        CATEGORY_STARTER: _ClassVar[Festo.Category]
        CATEGORY_SIDE: _ClassVar[Festo.Category]
        CATEGORY_DESSERT: _ClassVar[Festo.Category]
        CATEGORY_ROAST: _ClassVar[Festo.Category]
        CATEGORY_MAIN: _ClassVar[Festo.Category]
    CATEGORY_UNSPECIFIED: Festo.Category
    CATEGORY_DRINK: Festo.Category
    CATEGORY_STARTER: Festo.Category
    CATEGORY_SIDE: Festo.Category
    CATEGORY_DESSERT: Festo.Category
    CATEGORY_ROAST: Festo.Category
    CATEGORY_MAIN: Festo.Category
    class Token(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        TOKEN_UNSPECIFIED: _ClassVar[Festo.Token]
        TOKEN_HELPER: _ClassVar[Festo.Token]
        TOKEN_DISC: _ClassVar[Festo.Token]
    TOKEN_UNSPECIFIED: Festo.Token
    TOKEN_HELPER: Festo.Token
    TOKEN_DISC: Festo.Token
    class EventCard(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        EVENT_CARD_UNSPECIFIED: _ClassVar[Festo.EventCard]
        EVENT_CARD_E01: _ClassVar[Festo.EventCard]
        EVENT_CARD_E02: _ClassVar[Festo.EventCard]
        EVENT_CARD_E03: _ClassVar[Festo.EventCard]
        EVENT_CARD_E04: _ClassVar[Festo.EventCard]
        EVENT_CARD_E05: _ClassVar[Festo.EventCard]
        EVENT_CARD_E06: _ClassVar[Festo.EventCard]
        EVENT_CARD_E07: _ClassVar[Festo.EventCard]
        EVENT_CARD_E08: _ClassVar[Festo.EventCard]
        EVENT_CARD_E09: _ClassVar[Festo.EventCard]
        EVENT_CARD_E10: _ClassVar[Festo.EventCard]
        EVENT_CARD_E11: _ClassVar[Festo.EventCard]
        EVENT_CARD_E12: _ClassVar[Festo.EventCard]
        EVENT_CARD_E13: _ClassVar[Festo.EventCard]
        EVENT_CARD_E14: _ClassVar[Festo.EventCard]
    EVENT_CARD_UNSPECIFIED: Festo.EventCard
    EVENT_CARD_E01: Festo.EventCard
    EVENT_CARD_E02: Festo.EventCard
    EVENT_CARD_E03: Festo.EventCard
    EVENT_CARD_E04: Festo.EventCard
    EVENT_CARD_E05: Festo.EventCard
    EVENT_CARD_E06: Festo.EventCard
    EVENT_CARD_E07: Festo.EventCard
    EVENT_CARD_E08: Festo.EventCard
    EVENT_CARD_E09: Festo.EventCard
    EVENT_CARD_E10: Festo.EventCard
    EVENT_CARD_E11: Festo.EventCard
    EVENT_CARD_E12: Festo.EventCard
    EVENT_CARD_E13: Festo.EventCard
    EVENT_CARD_E14: Festo.EventCard
    class Events(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        EVENTS_UNSPECIFIED: _ClassVar[Festo.Events]
        EVENTS_NONE: _ClassVar[Festo.Events]
        EVENTS_RECONSTRUCTED: _ClassVar[Festo.Events]
    EVENTS_UNSPECIFIED: Festo.Events
    EVENTS_NONE: Festo.Events
    EVENTS_RECONSTRUCTED: Festo.Events
    class ActionOrder(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        ACTION_ORDER_UNSPECIFIED: _ClassVar[Festo.ActionOrder]
        ACTION_ORDER_PLAYERS: _ClassVar[Festo.ActionOrder]
        ACTION_ORDER_STEPS: _ClassVar[Festo.ActionOrder]
    ACTION_ORDER_UNSPECIFIED: Festo.ActionOrder
    ACTION_ORDER_PLAYERS: Festo.ActionOrder
    ACTION_ORDER_STEPS: Festo.ActionOrder
    class Phase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        PHASE_UNSPECIFIED: _ClassVar[Festo.Phase]
        PHASE_PREPARATION: _ClassVar[Festo.Phase]
        PHASE_MORNING: _ClassVar[Festo.Phase]
        PHASE_AFTERNOON: _ClassVar[Festo.Phase]
        PHASE_ACTIONS: _ClassVar[Festo.Phase]
        PHASE_COOKING: _ClassVar[Festo.Phase]
        PHASE_OVER: _ClassVar[Festo.Phase]
    PHASE_UNSPECIFIED: Festo.Phase
    PHASE_PREPARATION: Festo.Phase
    PHASE_MORNING: Festo.Phase
    PHASE_AFTERNOON: Festo.Phase
    PHASE_ACTIONS: Festo.Phase
    PHASE_COOKING: Festo.Phase
    PHASE_OVER: Festo.Phase
    class DecisionKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        DECISION_KIND_UNSPECIFIED: _ClassVar[Festo.DecisionKind]
        DECISION_KIND_CHOOSE_FIRST: _ClassVar[Festo.DecisionKind]
        DECISION_KIND_PLACE_WEST: _ClassVar[Festo.DecisionKind]
        DECISION_KIND_PLACE_EAST: _ClassVar[Festo.DecisionKind]
        DECISION_KIND_CHARACTER: _ClassVar[Festo.DecisionKind]
        DECISION_KIND_CUBE: _ClassVar[Festo.DecisionKind]
        DECISION_KIND_ELF_TAKE: _ClassVar[Festo.DecisionKind]
        DECISION_KIND_GROCERY: _ClassVar[Festo.DecisionKind]
        DECISION_KIND_COOK: _ClassVar[Festo.DecisionKind]
        DECISION_KIND_PAYMENT: _ClassVar[Festo.DecisionKind]
    DECISION_KIND_UNSPECIFIED: Festo.DecisionKind
    DECISION_KIND_CHOOSE_FIRST: Festo.DecisionKind
    DECISION_KIND_PLACE_WEST: Festo.DecisionKind
    DECISION_KIND_PLACE_EAST: Festo.DecisionKind
    DECISION_KIND_CHARACTER: Festo.DecisionKind
    DECISION_KIND_CUBE: Festo.DecisionKind
    DECISION_KIND_ELF_TAKE: Festo.DecisionKind
    DECISION_KIND_GROCERY: Festo.DecisionKind
    DECISION_KIND_COOK: Festo.DecisionKind
    DECISION_KIND_PAYMENT: Festo.DecisionKind
    class Reason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        REASON_UNSPECIFIED: _ClassVar[Festo.Reason]
        REASON_DWARF: _ClassVar[Festo.Reason]
        REASON_EVENT: _ClassVar[Festo.Reason]
        REASON_DESSERT: _ClassVar[Festo.Reason]
        REASON_STARTER: _ClassVar[Festo.Reason]
        REASON_SIDE: _ClassVar[Festo.Reason]
    REASON_UNSPECIFIED: Festo.Reason
    REASON_DWARF: Festo.Reason
    REASON_EVENT: Festo.Reason
    REASON_DESSERT: Festo.Reason
    REASON_STARTER: Festo.Reason
    REASON_SIDE: Festo.Reason
    class Ending(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        ENDING_UNSPECIFIED: _ClassVar[Festo.Ending]
        ENDING_ROUNDS_PLAYED: _ClassVar[Festo.Ending]
    ENDING_UNSPECIFIED: Festo.Ending
    ENDING_ROUNDS_PLAYED: Festo.Ending
    class EventKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        EVENT_KIND_UNSPECIFIED: _ClassVar[Festo.EventKind]
        EVENT_KIND_ROUND_BEGAN: _ClassVar[Festo.EventKind]
        EVENT_KIND_DISCS_JOINED: _ClassVar[Festo.EventKind]
        EVENT_KIND_MARKET_FILLED: _ClassVar[Festo.EventKind]
        EVENT_KIND_SHELF_FILLED: _ClassVar[Festo.EventKind]
        EVENT_KIND_ROW_CHANGED: _ClassVar[Festo.EventKind]
        EVENT_KIND_EVENT_REVEALED: _ClassVar[Festo.EventKind]
        EVENT_KIND_FIRST_CHOSEN: _ClassVar[Festo.EventKind]
        EVENT_KIND_DICE_ROLLED: _ClassVar[Festo.EventKind]
        EVENT_KIND_PLACED: _ClassVar[Festo.EventKind]
        EVENT_KIND_SPOT_BEGAN: _ClassVar[Festo.EventKind]
        EVENT_KIND_CUBE_MOVED: _ClassVar[Festo.EventKind]
        EVENT_KIND_TOKEN_SENT: _ClassVar[Festo.EventKind]
        EVENT_KIND_DISH_RESERVED: _ClassVar[Festo.EventKind]
        EVENT_KIND_SALT_TAKEN: _ClassVar[Festo.EventKind]
        EVENT_KIND_TRADED: _ClassVar[Festo.EventKind]
        EVENT_KIND_GOT: _ClassVar[Festo.EventKind]
        EVENT_KIND_DISCS_LAID: _ClassVar[Festo.EventKind]
        EVENT_KIND_TOOK: _ClassVar[Festo.EventKind]
        EVENT_KIND_CAME_HOME: _ClassVar[Festo.EventKind]
        EVENT_KIND_CARD_MOVED: _ClassVar[Festo.EventKind]
        EVENT_KIND_SCORED: _ClassVar[Festo.EventKind]
        EVENT_KIND_COOKED: _ClassVar[Festo.EventKind]
        EVENT_KIND_RECALLED: _ClassVar[Festo.EventKind]
        EVENT_KIND_PASSED: _ClassVar[Festo.EventKind]
        EVENT_KIND_ENDED: _ClassVar[Festo.EventKind]
    EVENT_KIND_UNSPECIFIED: Festo.EventKind
    EVENT_KIND_ROUND_BEGAN: Festo.EventKind
    EVENT_KIND_DISCS_JOINED: Festo.EventKind
    EVENT_KIND_MARKET_FILLED: Festo.EventKind
    EVENT_KIND_SHELF_FILLED: Festo.EventKind
    EVENT_KIND_ROW_CHANGED: Festo.EventKind
    EVENT_KIND_EVENT_REVEALED: Festo.EventKind
    EVENT_KIND_FIRST_CHOSEN: Festo.EventKind
    EVENT_KIND_DICE_ROLLED: Festo.EventKind
    EVENT_KIND_PLACED: Festo.EventKind
    EVENT_KIND_SPOT_BEGAN: Festo.EventKind
    EVENT_KIND_CUBE_MOVED: Festo.EventKind
    EVENT_KIND_TOKEN_SENT: Festo.EventKind
    EVENT_KIND_DISH_RESERVED: Festo.EventKind
    EVENT_KIND_SALT_TAKEN: Festo.EventKind
    EVENT_KIND_TRADED: Festo.EventKind
    EVENT_KIND_GOT: Festo.EventKind
    EVENT_KIND_DISCS_LAID: Festo.EventKind
    EVENT_KIND_TOOK: Festo.EventKind
    EVENT_KIND_CAME_HOME: Festo.EventKind
    EVENT_KIND_CARD_MOVED: Festo.EventKind
    EVENT_KIND_SCORED: Festo.EventKind
    EVENT_KIND_COOKED: Festo.EventKind
    EVENT_KIND_RECALLED: Festo.EventKind
    EVENT_KIND_PASSED: Festo.EventKind
    EVENT_KIND_ENDED: Festo.EventKind
    class Options(_message.Message):
        __slots__ = ("magic_dishes", "events", "market_limit", "action_order")
        MAGIC_DISHES_FIELD_NUMBER: _ClassVar[int]
        EVENTS_FIELD_NUMBER: _ClassVar[int]
        MARKET_LIMIT_FIELD_NUMBER: _ClassVar[int]
        ACTION_ORDER_FIELD_NUMBER: _ClassVar[int]
        magic_dishes: bool
        events: Festo.Events
        market_limit: bool
        action_order: Festo.ActionOrder
        def __init__(self, magic_dishes: _Optional[bool] = ..., events: _Optional[_Union[Festo.Events, str]] = ..., market_limit: _Optional[bool] = ..., action_order: _Optional[_Union[Festo.ActionOrder, str]] = ...) -> None: ...
    class Move(_message.Message):
        __slots__ = ("first", "place", "take", "take_all", "move_cube", "send", "reserve", "salt", "trade", "discs", "recall", "cube", "get", "shelf", "pay", "cook", "points")
        FIRST_FIELD_NUMBER: _ClassVar[int]
        PLACE_FIELD_NUMBER: _ClassVar[int]
        TAKE_FIELD_NUMBER: _ClassVar[int]
        TAKE_ALL_FIELD_NUMBER: _ClassVar[int]
        MOVE_CUBE_FIELD_NUMBER: _ClassVar[int]
        SEND_FIELD_NUMBER: _ClassVar[int]
        RESERVE_FIELD_NUMBER: _ClassVar[int]
        SALT_FIELD_NUMBER: _ClassVar[int]
        TRADE_FIELD_NUMBER: _ClassVar[int]
        DISCS_FIELD_NUMBER: _ClassVar[int]
        RECALL_FIELD_NUMBER: _ClassVar[int]
        CUBE_FIELD_NUMBER: _ClassVar[int]
        GET_FIELD_NUMBER: _ClassVar[int]
        SHELF_FIELD_NUMBER: _ClassVar[int]
        PAY_FIELD_NUMBER: _ClassVar[int]
        COOK_FIELD_NUMBER: _ClassVar[int]
        POINTS_FIELD_NUMBER: _ClassVar[int]
        PASS_FIELD_NUMBER: _ClassVar[int]
        first: int
        place: int
        take: Festo.Take
        take_all: Festo.TakeAll
        move_cube: int
        send: Festo.Send
        reserve: Festo.Reserve
        salt: Festo.Salt
        trade: Festo.Cube
        discs: Festo.Discs
        recall: Festo.Recall
        cube: Festo.Cube
        get: Festo.Get
        shelf: Festo.Cube
        pay: int
        cook: Festo.Dish
        points: Festo.Points
        def __init__(self, first: _Optional[int] = ..., place: _Optional[int] = ..., take: _Optional[_Union[Festo.Take, _Mapping]] = ..., take_all: _Optional[_Union[Festo.TakeAll, _Mapping]] = ..., move_cube: _Optional[int] = ..., send: _Optional[_Union[Festo.Send, _Mapping]] = ..., reserve: _Optional[_Union[Festo.Reserve, _Mapping]] = ..., salt: _Optional[_Union[Festo.Salt, _Mapping]] = ..., trade: _Optional[_Union[Festo.Cube, str]] = ..., discs: _Optional[_Union[Festo.Discs, _Mapping]] = ..., recall: _Optional[_Union[Festo.Recall, _Mapping]] = ..., cube: _Optional[_Union[Festo.Cube, str]] = ..., get: _Optional[_Union[Festo.Get, _Mapping]] = ..., shelf: _Optional[_Union[Festo.Cube, str]] = ..., pay: _Optional[int] = ..., cook: _Optional[_Union[Festo.Dish, str]] = ..., points: _Optional[_Union[Festo.Points, _Mapping]] = ..., **kwargs) -> None: ...
    class Take(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class TakeAll(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Send(_message.Message):
        __slots__ = ("token", "spot")
        TOKEN_FIELD_NUMBER: _ClassVar[int]
        SPOT_FIELD_NUMBER: _ClassVar[int]
        token: Festo.Token
        spot: Festo.Spot
        def __init__(self, token: _Optional[_Union[Festo.Token, str]] = ..., spot: _Optional[_Union[Festo.Spot, str]] = ...) -> None: ...
    class Reserve(_message.Message):
        __slots__ = ("token", "dish")
        TOKEN_FIELD_NUMBER: _ClassVar[int]
        DISH_FIELD_NUMBER: _ClassVar[int]
        token: Festo.Token
        dish: Festo.Dish
        def __init__(self, token: _Optional[_Union[Festo.Token, str]] = ..., dish: _Optional[_Union[Festo.Dish, str]] = ...) -> None: ...
    class Salt(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Discs(_message.Message):
        __slots__ = ("spots",)
        SPOTS_FIELD_NUMBER: _ClassVar[int]
        spots: _containers.RepeatedScalarFieldContainer[Festo.Spot]
        def __init__(self, spots: _Optional[_Iterable[_Union[Festo.Spot, str]]] = ...) -> None: ...
    class Points(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Get(_message.Message):
        __slots__ = ("cubes",)
        CUBES_FIELD_NUMBER: _ClassVar[int]
        cubes: _containers.RepeatedScalarFieldContainer[Festo.Cube]
        def __init__(self, cubes: _Optional[_Iterable[_Union[Festo.Cube, str]]] = ...) -> None: ...
    class Pass(_message.Message):
        __slots__ = ()
        def __init__(self) -> None: ...
    class Recall(_message.Message):
        __slots__ = ("dish", "cube")
        DISH_FIELD_NUMBER: _ClassVar[int]
        CUBE_FIELD_NUMBER: _ClassVar[int]
        dish: Festo.Dish
        cube: Festo.Cube
        def __init__(self, dish: _Optional[_Union[Festo.Dish, str]] = ..., cube: _Optional[_Union[Festo.Cube, str]] = ...) -> None: ...
    class Event(_message.Message):
        __slots__ = ("kind", "seat", "number", "cube", "spot", "target", "token", "dish", "dishes", "cubes", "spots", "seats", "helpers", "dice", "discs", "card", "reason", "phase", "category", "ending", "flag")
        KIND_FIELD_NUMBER: _ClassVar[int]
        SEAT_FIELD_NUMBER: _ClassVar[int]
        NUMBER_FIELD_NUMBER: _ClassVar[int]
        CUBE_FIELD_NUMBER: _ClassVar[int]
        SPOT_FIELD_NUMBER: _ClassVar[int]
        TARGET_FIELD_NUMBER: _ClassVar[int]
        TOKEN_FIELD_NUMBER: _ClassVar[int]
        DISH_FIELD_NUMBER: _ClassVar[int]
        DISHES_FIELD_NUMBER: _ClassVar[int]
        CUBES_FIELD_NUMBER: _ClassVar[int]
        SPOTS_FIELD_NUMBER: _ClassVar[int]
        SEATS_FIELD_NUMBER: _ClassVar[int]
        HELPERS_FIELD_NUMBER: _ClassVar[int]
        DICE_FIELD_NUMBER: _ClassVar[int]
        DISCS_FIELD_NUMBER: _ClassVar[int]
        CARD_FIELD_NUMBER: _ClassVar[int]
        REASON_FIELD_NUMBER: _ClassVar[int]
        PHASE_FIELD_NUMBER: _ClassVar[int]
        CATEGORY_FIELD_NUMBER: _ClassVar[int]
        ENDING_FIELD_NUMBER: _ClassVar[int]
        FLAG_FIELD_NUMBER: _ClassVar[int]
        kind: Festo.EventKind
        seat: int
        number: int
        cube: Festo.Cube
        spot: Festo.Spot
        target: Festo.Spot
        token: Festo.Token
        dish: Festo.Dish
        dishes: _containers.RepeatedScalarFieldContainer[Festo.Dish]
        cubes: _containers.RepeatedScalarFieldContainer[int]
        spots: _containers.RepeatedScalarFieldContainer[Festo.Spot]
        seats: _containers.RepeatedScalarFieldContainer[int]
        helpers: _containers.RepeatedScalarFieldContainer[int]
        dice: _containers.RepeatedScalarFieldContainer[int]
        discs: int
        card: Festo.EventCard
        reason: Festo.Reason
        phase: Festo.Phase
        category: Festo.Category
        ending: Festo.Ending
        flag: bool
        def __init__(self, kind: _Optional[_Union[Festo.EventKind, str]] = ..., seat: _Optional[int] = ..., number: _Optional[int] = ..., cube: _Optional[_Union[Festo.Cube, str]] = ..., spot: _Optional[_Union[Festo.Spot, str]] = ..., target: _Optional[_Union[Festo.Spot, str]] = ..., token: _Optional[_Union[Festo.Token, str]] = ..., dish: _Optional[_Union[Festo.Dish, str]] = ..., dishes: _Optional[_Iterable[_Union[Festo.Dish, str]]] = ..., cubes: _Optional[_Iterable[int]] = ..., spots: _Optional[_Iterable[_Union[Festo.Spot, str]]] = ..., seats: _Optional[_Iterable[int]] = ..., helpers: _Optional[_Iterable[int]] = ..., dice: _Optional[_Iterable[int]] = ..., discs: _Optional[int] = ..., card: _Optional[_Union[Festo.EventCard, str]] = ..., reason: _Optional[_Union[Festo.Reason, str]] = ..., phase: _Optional[_Union[Festo.Phase, str]] = ..., category: _Optional[_Union[Festo.Category, str]] = ..., ending: _Optional[_Union[Festo.Ending, str]] = ..., flag: _Optional[bool] = ...) -> None: ...
    class View(_message.Message):
        __slots__ = ("phase", "decision", "turn", "round", "first", "reserves", "markets", "shelves", "locks", "cubes", "helpers", "discs", "helpers_at", "discs_at", "discs_laid", "buffet", "reserved", "reserved_by", "reserved_with", "piles", "roasts", "mains", "cooked", "cooked_by", "points", "dice", "blocked", "events", "placing", "spot", "order", "waiting", "taking", "taking_tokens", "rewarded", "paying", "passed", "ending")
        PHASE_FIELD_NUMBER: _ClassVar[int]
        DECISION_FIELD_NUMBER: _ClassVar[int]
        TURN_FIELD_NUMBER: _ClassVar[int]
        ROUND_FIELD_NUMBER: _ClassVar[int]
        FIRST_FIELD_NUMBER: _ClassVar[int]
        RESERVES_FIELD_NUMBER: _ClassVar[int]
        MARKETS_FIELD_NUMBER: _ClassVar[int]
        SHELVES_FIELD_NUMBER: _ClassVar[int]
        LOCKS_FIELD_NUMBER: _ClassVar[int]
        CUBES_FIELD_NUMBER: _ClassVar[int]
        HELPERS_FIELD_NUMBER: _ClassVar[int]
        DISCS_FIELD_NUMBER: _ClassVar[int]
        HELPERS_AT_FIELD_NUMBER: _ClassVar[int]
        DISCS_AT_FIELD_NUMBER: _ClassVar[int]
        DISCS_LAID_FIELD_NUMBER: _ClassVar[int]
        BUFFET_FIELD_NUMBER: _ClassVar[int]
        RESERVED_FIELD_NUMBER: _ClassVar[int]
        RESERVED_BY_FIELD_NUMBER: _ClassVar[int]
        RESERVED_WITH_FIELD_NUMBER: _ClassVar[int]
        PILES_FIELD_NUMBER: _ClassVar[int]
        ROASTS_FIELD_NUMBER: _ClassVar[int]
        MAINS_FIELD_NUMBER: _ClassVar[int]
        COOKED_FIELD_NUMBER: _ClassVar[int]
        COOKED_BY_FIELD_NUMBER: _ClassVar[int]
        POINTS_FIELD_NUMBER: _ClassVar[int]
        DICE_FIELD_NUMBER: _ClassVar[int]
        BLOCKED_FIELD_NUMBER: _ClassVar[int]
        EVENTS_FIELD_NUMBER: _ClassVar[int]
        PLACING_FIELD_NUMBER: _ClassVar[int]
        SPOT_FIELD_NUMBER: _ClassVar[int]
        ORDER_FIELD_NUMBER: _ClassVar[int]
        WAITING_FIELD_NUMBER: _ClassVar[int]
        TAKING_FIELD_NUMBER: _ClassVar[int]
        TAKING_TOKENS_FIELD_NUMBER: _ClassVar[int]
        REWARDED_FIELD_NUMBER: _ClassVar[int]
        PAYING_FIELD_NUMBER: _ClassVar[int]
        PASSED_FIELD_NUMBER: _ClassVar[int]
        ENDING_FIELD_NUMBER: _ClassVar[int]
        phase: Festo.Phase
        decision: Festo.DecisionKind
        turn: int
        round: int
        first: int
        reserves: _containers.RepeatedScalarFieldContainer[int]
        markets: _containers.RepeatedScalarFieldContainer[int]
        shelves: _containers.RepeatedScalarFieldContainer[int]
        locks: _containers.RepeatedScalarFieldContainer[int]
        cubes: _containers.RepeatedScalarFieldContainer[int]
        helpers: _containers.RepeatedScalarFieldContainer[int]
        discs: _containers.RepeatedScalarFieldContainer[int]
        helpers_at: _containers.RepeatedScalarFieldContainer[int]
        discs_at: _containers.RepeatedScalarFieldContainer[int]
        discs_laid: _containers.RepeatedScalarFieldContainer[int]
        buffet: _containers.RepeatedScalarFieldContainer[Festo.Dish]
        reserved: _containers.RepeatedScalarFieldContainer[Festo.Dish]
        reserved_by: _containers.RepeatedScalarFieldContainer[int]
        reserved_with: _containers.RepeatedScalarFieldContainer[Festo.Token]
        piles: _containers.RepeatedScalarFieldContainer[int]
        roasts: int
        mains: int
        cooked: _containers.RepeatedScalarFieldContainer[Festo.Dish]
        cooked_by: _containers.RepeatedScalarFieldContainer[int]
        points: _containers.RepeatedScalarFieldContainer[int]
        dice: _containers.RepeatedScalarFieldContainer[int]
        blocked: _containers.RepeatedScalarFieldContainer[Festo.Spot]
        events: _containers.RepeatedScalarFieldContainer[Festo.EventCard]
        placing: _containers.RepeatedScalarFieldContainer[int]
        spot: Festo.Spot
        order: _containers.RepeatedScalarFieldContainer[int]
        waiting: _containers.RepeatedScalarFieldContainer[int]
        taking: _containers.RepeatedScalarFieldContainer[int]
        taking_tokens: _containers.RepeatedScalarFieldContainer[int]
        rewarded: _containers.RepeatedScalarFieldContainer[Festo.Dish]
        paying: Festo.Dish
        passed: _containers.RepeatedScalarFieldContainer[int]
        ending: Festo.Ending
        def __init__(self, phase: _Optional[_Union[Festo.Phase, str]] = ..., decision: _Optional[_Union[Festo.DecisionKind, str]] = ..., turn: _Optional[int] = ..., round: _Optional[int] = ..., first: _Optional[int] = ..., reserves: _Optional[_Iterable[int]] = ..., markets: _Optional[_Iterable[int]] = ..., shelves: _Optional[_Iterable[int]] = ..., locks: _Optional[_Iterable[int]] = ..., cubes: _Optional[_Iterable[int]] = ..., helpers: _Optional[_Iterable[int]] = ..., discs: _Optional[_Iterable[int]] = ..., helpers_at: _Optional[_Iterable[int]] = ..., discs_at: _Optional[_Iterable[int]] = ..., discs_laid: _Optional[_Iterable[int]] = ..., buffet: _Optional[_Iterable[_Union[Festo.Dish, str]]] = ..., reserved: _Optional[_Iterable[_Union[Festo.Dish, str]]] = ..., reserved_by: _Optional[_Iterable[int]] = ..., reserved_with: _Optional[_Iterable[_Union[Festo.Token, str]]] = ..., piles: _Optional[_Iterable[int]] = ..., roasts: _Optional[int] = ..., mains: _Optional[int] = ..., cooked: _Optional[_Iterable[_Union[Festo.Dish, str]]] = ..., cooked_by: _Optional[_Iterable[int]] = ..., points: _Optional[_Iterable[int]] = ..., dice: _Optional[_Iterable[int]] = ..., blocked: _Optional[_Iterable[_Union[Festo.Spot, str]]] = ..., events: _Optional[_Iterable[_Union[Festo.EventCard, str]]] = ..., placing: _Optional[_Iterable[int]] = ..., spot: _Optional[_Union[Festo.Spot, str]] = ..., order: _Optional[_Iterable[int]] = ..., waiting: _Optional[_Iterable[int]] = ..., taking: _Optional[_Iterable[int]] = ..., taking_tokens: _Optional[_Iterable[int]] = ..., rewarded: _Optional[_Iterable[_Union[Festo.Dish, str]]] = ..., paying: _Optional[_Union[Festo.Dish, str]] = ..., passed: _Optional[_Iterable[int]] = ..., ending: _Optional[_Union[Festo.Ending, str]] = ...) -> None: ...
    class Situation(_message.Message):
        __slots__ = ("view", "events")
        VIEW_FIELD_NUMBER: _ClassVar[int]
        EVENTS_FIELD_NUMBER: _ClassVar[int]
        view: Festo.View
        events: _containers.RepeatedCompositeFieldContainer[Festo.Event]
        def __init__(self, view: _Optional[_Union[Festo.View, _Mapping]] = ..., events: _Optional[_Iterable[_Union[Festo.Event, _Mapping]]] = ...) -> None: ...
    def __init__(self) -> None: ...
