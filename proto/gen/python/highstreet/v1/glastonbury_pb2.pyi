from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GlastonburyCard(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GLASTONBURY_CARD_UNSPECIFIED: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_YA1: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_YA2: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_YA3: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_YA4: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_YB1: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_YB2: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_YB3: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_YB4: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_GA1: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_GA2: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_GA3: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_GA4: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_GB1: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_GB2: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_GB3: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_GB4: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_RA1: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_RA2: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_RA3: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_RA4: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_RB1: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_RB2: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_RB3: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_RB4: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_BA1: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_BA2: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_BA3: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_BA4: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_BB1: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_BB2: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_BB3: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_BB4: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_OA1: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_OA2: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_OA3: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_OA4: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_OB1: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_OB2: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_OB3: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_OB4: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_PA1: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_PA2: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_PA3: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_PA4: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_PB1: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_PB2: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_PB3: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_PB4: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_WA1: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_WA2: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_WA3: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_WA4: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_WB1: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_WB2: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_WB3: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_WB4: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_NA1: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_NA2: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_NA3: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_NA4: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_NB1: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_NB2: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_NB3: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_NB4: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_SA1: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_SA2: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_SA3: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_SA4: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_SB1: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_SB2: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_SB3: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_SB4: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_IMMUTO: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_ACCIO: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_DECLINATIO: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_PERLUCEO: _ClassVar[GlastonburyCard]
    GLASTONBURY_CARD_VANESCO: _ClassVar[GlastonburyCard]

class GlastonburyIngredient(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GLASTONBURY_INGREDIENT_UNSPECIFIED: _ClassVar[GlastonburyIngredient]
    GLASTONBURY_INGREDIENT_YA: _ClassVar[GlastonburyIngredient]
    GLASTONBURY_INGREDIENT_YB: _ClassVar[GlastonburyIngredient]
    GLASTONBURY_INGREDIENT_GA: _ClassVar[GlastonburyIngredient]
    GLASTONBURY_INGREDIENT_GB: _ClassVar[GlastonburyIngredient]
    GLASTONBURY_INGREDIENT_RA: _ClassVar[GlastonburyIngredient]
    GLASTONBURY_INGREDIENT_RB: _ClassVar[GlastonburyIngredient]
    GLASTONBURY_INGREDIENT_BA: _ClassVar[GlastonburyIngredient]
    GLASTONBURY_INGREDIENT_BB: _ClassVar[GlastonburyIngredient]
    GLASTONBURY_INGREDIENT_OA: _ClassVar[GlastonburyIngredient]
    GLASTONBURY_INGREDIENT_OB: _ClassVar[GlastonburyIngredient]
    GLASTONBURY_INGREDIENT_PA: _ClassVar[GlastonburyIngredient]
    GLASTONBURY_INGREDIENT_PB: _ClassVar[GlastonburyIngredient]
    GLASTONBURY_INGREDIENT_WA: _ClassVar[GlastonburyIngredient]
    GLASTONBURY_INGREDIENT_WB: _ClassVar[GlastonburyIngredient]
    GLASTONBURY_INGREDIENT_NA: _ClassVar[GlastonburyIngredient]
    GLASTONBURY_INGREDIENT_NB: _ClassVar[GlastonburyIngredient]
    GLASTONBURY_INGREDIENT_SA: _ClassVar[GlastonburyIngredient]
    GLASTONBURY_INGREDIENT_SB: _ClassVar[GlastonburyIngredient]
GLASTONBURY_CARD_UNSPECIFIED: GlastonburyCard
GLASTONBURY_CARD_YA1: GlastonburyCard
GLASTONBURY_CARD_YA2: GlastonburyCard
GLASTONBURY_CARD_YA3: GlastonburyCard
GLASTONBURY_CARD_YA4: GlastonburyCard
GLASTONBURY_CARD_YB1: GlastonburyCard
GLASTONBURY_CARD_YB2: GlastonburyCard
GLASTONBURY_CARD_YB3: GlastonburyCard
GLASTONBURY_CARD_YB4: GlastonburyCard
GLASTONBURY_CARD_GA1: GlastonburyCard
GLASTONBURY_CARD_GA2: GlastonburyCard
GLASTONBURY_CARD_GA3: GlastonburyCard
GLASTONBURY_CARD_GA4: GlastonburyCard
GLASTONBURY_CARD_GB1: GlastonburyCard
GLASTONBURY_CARD_GB2: GlastonburyCard
GLASTONBURY_CARD_GB3: GlastonburyCard
GLASTONBURY_CARD_GB4: GlastonburyCard
GLASTONBURY_CARD_RA1: GlastonburyCard
GLASTONBURY_CARD_RA2: GlastonburyCard
GLASTONBURY_CARD_RA3: GlastonburyCard
GLASTONBURY_CARD_RA4: GlastonburyCard
GLASTONBURY_CARD_RB1: GlastonburyCard
GLASTONBURY_CARD_RB2: GlastonburyCard
GLASTONBURY_CARD_RB3: GlastonburyCard
GLASTONBURY_CARD_RB4: GlastonburyCard
GLASTONBURY_CARD_BA1: GlastonburyCard
GLASTONBURY_CARD_BA2: GlastonburyCard
GLASTONBURY_CARD_BA3: GlastonburyCard
GLASTONBURY_CARD_BA4: GlastonburyCard
GLASTONBURY_CARD_BB1: GlastonburyCard
GLASTONBURY_CARD_BB2: GlastonburyCard
GLASTONBURY_CARD_BB3: GlastonburyCard
GLASTONBURY_CARD_BB4: GlastonburyCard
GLASTONBURY_CARD_OA1: GlastonburyCard
GLASTONBURY_CARD_OA2: GlastonburyCard
GLASTONBURY_CARD_OA3: GlastonburyCard
GLASTONBURY_CARD_OA4: GlastonburyCard
GLASTONBURY_CARD_OB1: GlastonburyCard
GLASTONBURY_CARD_OB2: GlastonburyCard
GLASTONBURY_CARD_OB3: GlastonburyCard
GLASTONBURY_CARD_OB4: GlastonburyCard
GLASTONBURY_CARD_PA1: GlastonburyCard
GLASTONBURY_CARD_PA2: GlastonburyCard
GLASTONBURY_CARD_PA3: GlastonburyCard
GLASTONBURY_CARD_PA4: GlastonburyCard
GLASTONBURY_CARD_PB1: GlastonburyCard
GLASTONBURY_CARD_PB2: GlastonburyCard
GLASTONBURY_CARD_PB3: GlastonburyCard
GLASTONBURY_CARD_PB4: GlastonburyCard
GLASTONBURY_CARD_WA1: GlastonburyCard
GLASTONBURY_CARD_WA2: GlastonburyCard
GLASTONBURY_CARD_WA3: GlastonburyCard
GLASTONBURY_CARD_WA4: GlastonburyCard
GLASTONBURY_CARD_WB1: GlastonburyCard
GLASTONBURY_CARD_WB2: GlastonburyCard
GLASTONBURY_CARD_WB3: GlastonburyCard
GLASTONBURY_CARD_WB4: GlastonburyCard
GLASTONBURY_CARD_NA1: GlastonburyCard
GLASTONBURY_CARD_NA2: GlastonburyCard
GLASTONBURY_CARD_NA3: GlastonburyCard
GLASTONBURY_CARD_NA4: GlastonburyCard
GLASTONBURY_CARD_NB1: GlastonburyCard
GLASTONBURY_CARD_NB2: GlastonburyCard
GLASTONBURY_CARD_NB3: GlastonburyCard
GLASTONBURY_CARD_NB4: GlastonburyCard
GLASTONBURY_CARD_SA1: GlastonburyCard
GLASTONBURY_CARD_SA2: GlastonburyCard
GLASTONBURY_CARD_SA3: GlastonburyCard
GLASTONBURY_CARD_SA4: GlastonburyCard
GLASTONBURY_CARD_SB1: GlastonburyCard
GLASTONBURY_CARD_SB2: GlastonburyCard
GLASTONBURY_CARD_SB3: GlastonburyCard
GLASTONBURY_CARD_SB4: GlastonburyCard
GLASTONBURY_CARD_IMMUTO: GlastonburyCard
GLASTONBURY_CARD_ACCIO: GlastonburyCard
GLASTONBURY_CARD_DECLINATIO: GlastonburyCard
GLASTONBURY_CARD_PERLUCEO: GlastonburyCard
GLASTONBURY_CARD_VANESCO: GlastonburyCard
GLASTONBURY_INGREDIENT_UNSPECIFIED: GlastonburyIngredient
GLASTONBURY_INGREDIENT_YA: GlastonburyIngredient
GLASTONBURY_INGREDIENT_YB: GlastonburyIngredient
GLASTONBURY_INGREDIENT_GA: GlastonburyIngredient
GLASTONBURY_INGREDIENT_GB: GlastonburyIngredient
GLASTONBURY_INGREDIENT_RA: GlastonburyIngredient
GLASTONBURY_INGREDIENT_RB: GlastonburyIngredient
GLASTONBURY_INGREDIENT_BA: GlastonburyIngredient
GLASTONBURY_INGREDIENT_BB: GlastonburyIngredient
GLASTONBURY_INGREDIENT_OA: GlastonburyIngredient
GLASTONBURY_INGREDIENT_OB: GlastonburyIngredient
GLASTONBURY_INGREDIENT_PA: GlastonburyIngredient
GLASTONBURY_INGREDIENT_PB: GlastonburyIngredient
GLASTONBURY_INGREDIENT_WA: GlastonburyIngredient
GLASTONBURY_INGREDIENT_WB: GlastonburyIngredient
GLASTONBURY_INGREDIENT_NA: GlastonburyIngredient
GLASTONBURY_INGREDIENT_NB: GlastonburyIngredient
GLASTONBURY_INGREDIENT_SA: GlastonburyIngredient
GLASTONBURY_INGREDIENT_SB: GlastonburyIngredient

class GlastonburyMove(_message.Message):
    __slots__ = ("take", "declinatio", "keep", "discard", "immuto")
    TAKE_FIELD_NUMBER: _ClassVar[int]
    DECLINATIO_FIELD_NUMBER: _ClassVar[int]
    PASS_FIELD_NUMBER: _ClassVar[int]
    KEEP_FIELD_NUMBER: _ClassVar[int]
    DISCARD_FIELD_NUMBER: _ClassVar[int]
    IMMUTO_FIELD_NUMBER: _ClassVar[int]
    take: int
    declinatio: GlastonburyDeclinatio
    keep: GlastonburyKeep
    discard: GlastonburyDiscard
    immuto: GlastonburyAssignImmuto
    def __init__(self, take: _Optional[int] = ..., declinatio: _Optional[_Union[GlastonburyDeclinatio, _Mapping]] = ..., keep: _Optional[_Union[GlastonburyKeep, _Mapping]] = ..., discard: _Optional[_Union[GlastonburyDiscard, _Mapping]] = ..., immuto: _Optional[_Union[GlastonburyAssignImmuto, _Mapping]] = ..., **kwargs) -> None: ...

class GlastonburyDeclinatio(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GlastonburyPass(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GlastonburyKeep(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GlastonburyDiscard(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GlastonburyAssignImmuto(_message.Message):
    __slots__ = ("ingredients",)
    INGREDIENTS_FIELD_NUMBER: _ClassVar[int]
    ingredients: _containers.RepeatedScalarFieldContainer[GlastonburyIngredient]
    def __init__(self, ingredients: _Optional[_Iterable[_Union[GlastonburyIngredient, str]]] = ...) -> None: ...
