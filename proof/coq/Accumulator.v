(* The long accumulator of lib/core/arith/words.h and superacc.c, in integers: its words are a list,
   the lowest first; the value counts units of the window's lowest bit. Then the rounding of
   lib/core/arith/encode.h, which is Flocq's. *)
From Coq Require Import ZArith Reals Lra Lia List Bool.
From Flocq Require Import Core.
From ExBLAS Require Import Constants.
Import ListNotations.

Open Scope Z_scope.

Notation w := EXB_WORD_BITS.
Notation W := (2 ^ w).

Ltac sizes := unfold EXB_WORD_BITS, EXB_STORED_BITS, EXB_MAX_DEPOSITS in *.

Fixpoint value (words : list Z) : Z :=
  match words with
  | [] => 0
  | x :: rest => x + W * value rest
  end.

(* --- carries ----------------------------------------------------------------- *)

(* C: lib/core/arith/words.h
   exb_i64 w = word[i] + carry;
   carry = w >> EXB_WORD_BITS;
   word[i] = w & (exb_i64)EXB_WORD_MASK;
   word[top] = exb_wrapping_add(word[top], carry); *)
Fixpoint normalize (carry : Z) (words : list Z) : list Z :=
  match words with
  | [] => []
  | [x] => [x + carry]
  | x :: rest => (x + carry) mod W :: normalize ((x + carry) / W) rest
  end.

Lemma normalize_value words carry : words <> [] ->
  value (normalize carry words) = value words + carry.
Proof.
  revert carry. induction words as [|x rest IH]; intros carry N; [easy|].
  destruct rest as [|y rest]; [simpl; ring|].
  change (value ((x + carry) mod W :: normalize ((x + carry) / W) (y :: rest)) =
          x + W * value (y :: rest) + carry).
  set (r := y :: rest) in *. cbn [value]. rewrite IH by easy.
  pose proof (Z.div_mod (x + carry) W ltac:(sizes; lia)). lia.
Qed.

(* Every word but the top one below 2^53, none negative. *)
Fixpoint in_range (words : list Z) : Prop :=
  match words with
  | [] | [_] => True
  | x :: rest => 0 <= x < W /\ in_range rest
  end.

Theorem normalize_keeps_value words : words <> [] ->
  value (normalize 0 words) = value words /\ in_range (normalize 0 words).
Proof.
  intros N. split; [rewrite normalize_value by easy; ring|].
  generalize 0 as carry. induction words as [|x [|y rest] IH]; intros carry; try easy.
  change (in_range ((x + carry) mod W :: normalize ((x + carry) / W) (y :: rest))).
  assert (E : exists z l, normalize ((x + carry) / W) (y :: rest) = z :: l).
  { destruct rest; simpl; eauto. }
  destruct E as [z [l E]]. rewrite E. split; [apply Z.mod_pos_bound; sizes; lia|].
  rewrite <- E. now apply IH.
Qed.

(* No addition of a carry overflows while EXB_MAX_DEPOSITS holds. *)
Definition small (k : Z) (x : Z) := Z.abs x < (k + 1) * W.

Theorem carries_fit x carry : small EXB_MAX_DEPOSITS x -> Z.abs carry <= EXB_MAX_DEPOSITS + 2 ->
  Z.abs (x + carry) < 2 ^ (EXB_STORED_BITS - 1) /\ Z.abs ((x + carry) / W) <= EXB_MAX_DEPOSITS + 2.
Proof. unfold small. sizes. intros. split; [lia|]. Z.to_euclidean_division_equations. lia. Qed.

(* --- deposits ----------------------------------------------------------------- *)

(* C: lib/core/arith/words.h
   p.index = exb_word_index(offset);
   int shift = offset - EXB_WORD_BITS * p.index;
   p.word[0] = low << shift & EXB_WORD_MASK;
   p.word[1] = (low >> (EXB_WORD_BITS - shift) | q << shift) & EXB_WORD_MASK;
   p.word[2] = q >> (EXB_WORD_BITS - shift); *)
Definition wrapped (x : Z) := x mod 2 ^ EXB_STORED_BITS.
Definition piece_0 (low shift : Z) := Z.land (wrapped (Z.shiftl low shift)) (Z.ones w).
Definition piece_1 (q low shift : Z) :=
  Z.land (Z.lor (Z.shiftr low (w - shift)) (wrapped (Z.shiftl q shift))) (Z.ones w).
Definition piece_2 (q shift : Z) := Z.shiftr q (w - shift).

Lemma masked x : Z.land (wrapped x) (Z.ones w) = x mod W.
Proof.
  unfold wrapped. rewrite Z.land_ones by (sizes; lia). sizes.
  rewrite <- Znumtheory.Zmod_div_mod; try lia. exists (2 ^ 11). reflexivity.
Qed.

Lemma lor_is_sum a b n : 0 <= n -> 0 <= a < 2 ^ n -> Z.lor a (b * 2 ^ n) = a + b * 2 ^ n.
Proof.
  intros Hn Ha.
  assert (D : Z.land a (b * 2 ^ n) = 0).
  { apply Z.bits_inj'. intros i Hi. rewrite Z.land_spec, Z.bits_0.
    destruct (Z_lt_le_dec i n) as [L|L].
    - rewrite Z.mul_pow2_bits_low by easy. apply andb_false_r.
    - rewrite <- (Z.mod_small a (2 ^ n)) by easy. rewrite Z.mod_pow2_bits_high by lia. reflexivity. }
  rewrite <- Z.lxor_lor by easy. now rewrite Z.add_nocarry_lxor.
Qed.

Theorem pieces_are_the_term q low shift :
  0 <= low < W -> 0 <= q < 2 ^ 55 -> 0 <= shift < w ->
  piece_0 low shift + W * piece_1 q low shift + W * W * piece_2 q shift = (q * W + low) * 2 ^ shift /\
  0 <= piece_0 low shift < W /\ 0 <= piece_1 q low shift < W /\
  0 <= piece_2 q shift < 4 * W /\ (q < W -> piece_2 q shift < W).
Proof.
  intros Hl Hq Hs. unfold piece_0, piece_1, piece_2.
  assert (P : 0 < 2 ^ shift) by (apply Z.pow_pos_nonneg; lia).
  assert (P' : 0 < 2 ^ (w - shift)) by (apply Z.pow_pos_nonneg; lia).
  assert (S : W = 2 ^ (w - shift) * 2 ^ shift) by (rewrite <- Z.pow_add_r by lia; f_equal; ring).
  rewrite masked, !Z.shiftl_mul_pow2, !Z.shiftr_div_pow2 by lia.
  assert (A : 0 <= low / 2 ^ (w - shift) < 2 ^ shift).
  { split; [apply Z.div_pos; lia|]. apply Z.div_lt_upper_bound; [lia|]. rewrite <- S. lia. }
  assert (M1 : Z.land (Z.lor (low / 2 ^ (w - shift)) (wrapped (q * 2 ^ shift))) (Z.ones w) =
               (low / 2 ^ (w - shift) + q * 2 ^ shift) mod W).
  { set (K := 2 ^ (EXB_STORED_BITS - shift)).
    assert (E : 2 ^ EXB_STORED_BITS = K * 2 ^ shift).
    { unfold K. rewrite <- Z.pow_add_r by (sizes; lia). f_equal. ring. }
    assert (K0 : 0 < K) by (apply Z.pow_pos_nonneg; sizes; lia).
    unfold wrapped. rewrite E, Z.mul_mod_distr_r, lor_is_sum by lia.
    rewrite Z.land_ones by (sizes; lia).
    replace (low / 2 ^ (w - shift) + q mod K * 2 ^ shift) with
      (low / 2 ^ (w - shift) + q * 2 ^ shift + (- (q / K) * 2 ^ (EXB_STORED_BITS - w)) * W).
    - apply Z.mod_add. sizes. lia.
    - rewrite (Z.mod_eq q K) by lia. rewrite <- Z.mul_assoc, <- Z.pow_add_r by (sizes; lia).
      replace (EXB_STORED_BITS - w + w) with EXB_STORED_BITS by ring. rewrite E. ring. }
  rewrite M1.
  assert (D0 : low * 2 ^ shift / W = low / 2 ^ (w - shift)).
  { rewrite S. apply Z.div_mul_cancel_r; lia. }
  assert (D1 : (low / 2 ^ (w - shift) + q * 2 ^ shift) / W = q / 2 ^ (w - shift)).
  { rewrite S, (Z.mul_comm (2 ^ (w - shift)) (2 ^ shift)), <- Z.div_div by lia.
    rewrite Z.div_add by lia.
    rewrite (Z.div_small (low / 2 ^ (w - shift)) (2 ^ shift)) by lia. reflexivity. }
  pose proof (Z.div_mod (low * 2 ^ shift) W ltac:(sizes; lia)) as E0. rewrite D0 in E0.
  pose proof (Z.div_mod (low / 2 ^ (w - shift) + q * 2 ^ shift) W ltac:(sizes; lia)) as E1.
  rewrite D1 in E1.
  set (lh := low / 2 ^ (w - shift)) in *. set (qh := q / 2 ^ (w - shift)) in *.
  set (p0 := (low * 2 ^ shift) mod W) in *. set (p1 := (lh + q * 2 ^ shift) mod W) in *.
  split; [|split; [|split; [|split]]].
  - replace p0 with (low * 2 ^ shift - W * lh) by lia.
    replace (W * p1) with (W * (lh + q * 2 ^ shift - W * qh)) by (f_equal; lia). ring.
  - apply Z.mod_pos_bound. sizes. lia.
  - apply Z.mod_pos_bound. sizes. lia.
  - assert (2 <= 2 ^ (w - shift)).
    { change 2 with (2 ^ 1) at 1. apply Z.pow_le_mono_r; lia. }
    unfold qh. split; [apply Z.div_pos; lia|].
    apply Z.div_lt_upper_bound; [lia|]. sizes. lia.
  - intros Hq'. unfold qh. apply Z.div_lt_upper_bound; [lia|]. nia.
Qed.

(* Adding to a word. *)
Fixpoint add_at (i : nat) (x : Z) (words : list Z) : list Z :=
  match words, i with
  | [], _ => []
  | y :: rest, O => y + x :: rest
  | y :: rest, S j => y :: add_at j x rest
  end.

Lemma add_at_value i x words : (i < length words)%nat ->
  value (add_at i x words) = value words + x * W ^ Z.of_nat i.
Proof.
  revert i. induction words as [|y rest IH]; intros i L; [simpl in L; lia|].
  destruct i as [|i].
  - simpl add_at. cbn [value]. simpl Z.of_nat. rewrite Z.pow_0_r. ring.
  - simpl add_at. cbn [value]. rewrite IH by (simpl in L; lia).
    rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. ring.
Qed.

Lemma add_at_length i x words : length (add_at i x words) = length words.
Proof. revert i. induction words as [|y rest IH]; intros [|i]; simpl; auto. Qed.

(* --- the state after any number of deposits ------------------------------------- *)

(* A deposit: what it adds to each of three words next to each other, below 2^53 each. *)
Record deposit := { at_word : nat; by_0 : Z; by_1 : Z; by_2 : Z }.

Definition deposit_fits (n : nat) (d : deposit) :=
  (at_word d + 2 < n)%nat /\ Z.abs (by_0 d) < W /\ Z.abs (by_1 d) < W /\ Z.abs (by_2 d) < W.

Definition deposit_value (d : deposit) :=
  (by_0 d + W * by_1 d + W * W * by_2 d) * W ^ Z.of_nat (at_word d).

Definition add (d : deposit) (words : list Z) :=
  add_at (at_word d) (by_0 d) (add_at (S (at_word d)) (by_1 d) (add_at (S (S (at_word d))) (by_2 d) words)).

(* C: lib/core/arith/superacc.c
   if (EXB_UNLIKELY(a->n_free == 0))
   exb_superacc_normalize(a);
   a->n_free--; *)
Record state := { words : list Z; n_free : Z }.
Definition reserve (s : state) : state :=
  if n_free s =? 0 then {| words := normalize 0 (words s); n_free := EXB_MAX_DEPOSITS - 1 |}
  else {| words := words s; n_free := n_free s - 1 |}.
Definition deposit_one (s : state) (d : deposit) : state :=
  {| words := add d (words (reserve s)); n_free := n_free (reserve s) |}.

(* All words but the top one. *)
Fixpoint below_top (p : Z -> Prop) (l : list Z) : Prop :=
  match l with
  | [] | [_] => True
  | x :: rest => p x /\ below_top p rest
  end.

Lemma below_top_impl (p q : Z -> Prop) l : (forall x, p x -> q x) -> below_top p l -> below_top q l.
Proof. intros H. induction l as [|x [|y l] IH]; auto. intros [A B]. split; [auto|now apply IH]. Qed.

Lemma normalize_length carry l : length (normalize carry l) = length l.
Proof.
  revert carry. induction l as [|x [|y l] IH]; intros carry; auto.
  change (S (length (normalize ((x + carry) / W) (y :: l))) = S (length (y :: l))). now rewrite IH.
Qed.

Lemma in_range_below_top l : in_range l -> below_top (small 0) l.
Proof.
  induction l as [|x [|y l] IH]; auto. intros [A B]. split; [unfold small; lia|now apply IH].
Qed.

(* A deposit adds less than 2^53 to a word, and to each word once. *)
Lemma add_below_top k d l : deposit_fits (length l) d -> below_top (small k) l ->
  below_top (small (k + 1)) (add d l).
Proof.
  intros [L [A [B C]]] H. unfold add. destruct d as [i x y z]; cbn in *.
  assert (G : forall j a k l, Z.abs a < W -> below_top (small k) l -> (j < length l)%nat ->
     below_top (small (k + 1)) (add_at j a l)).
  { clear. intros j a k l Ha. revert j. induction l as [|x [|y l] IH]; intros j H L; try easy.
    - destruct j; [exact I|simpl in L; lia].
    - destruct H as [Hx H]. destruct j as [|j].
      + split; [unfold small in *; sizes; lia|].
        apply below_top_impl with (2 := H). unfold small. intros; sizes; lia.
      + change (below_top (small (k + 1)) (x :: add_at j a (y :: l))).
        assert (E : exists z r, add_at j a (y :: l) = z :: r) by (destruct j; simpl; eauto).
        assert (L' : (j < length (y :: l))%nat) by (simpl in L |- *; lia).
        specialize (IH j H L'). destruct E as [z [r E]]. rewrite E in IH |- *.
        split; [unfold small in *; sizes; lia|exact IH]. }
  (* three words: each gets one of the three *)
  revert i L. induction l as [|v l IH]; intros i L; [simpl in L; lia|].
  destruct i as [|i].
  - destruct l as [|v1 [|v2 l]]; try (simpl in L; lia).
    simpl in H. destruct H as [H0 [H1 H2]].
    change (below_top (small (k + 1)) (v + x :: v1 + y :: v2 + z :: l)).
    split; [unfold small in *; sizes; lia|]. split; [unfold small in *; sizes; lia|].
    destruct l as [|v3 l]; [exact I|]. destruct H2 as [H2 H3].
    split; [unfold small in *; sizes; lia|].
    apply below_top_impl with (2 := H3). unfold small. intros; sizes; lia.
  - destruct l as [|v1 l]; [simpl in L; lia|]. destruct H as [H0 H1].
    change (below_top (small (k + 1))
      (v :: add_at i x (add_at (S i) y (add_at (S (S i)) z (v1 :: l))))).
    assert (L' : (i + 2 < length (v1 :: l))%nat) by (simpl in L |- *; lia).
    specialize (IH H1 i L').
    change (below_top (small (k + 1)) (add_at i x (add_at (S i) y (add_at (S (S i)) z (v1 :: l))))) in IH.
    assert (E : exists a r, add_at i x (add_at (S i) y (add_at (S (S i)) z (v1 :: l))) = a :: r)
      by (destruct i; simpl; eauto).
    destruct E as [a [r E]]. rewrite E in IH |- *.
    split; [unfold small in *; sizes; lia|exact IH].
Qed.

Lemma add_value d l : deposit_fits (length l) d -> value (add d l) = value l + deposit_value d.
Proof.
  intros [L _]. unfold add, deposit_value.
  rewrite !add_at_value by (rewrite ?add_at_length; lia).
  rewrite !Nat2Z.inj_succ, !Z.pow_succ_r by lia. ring.
Qed.

Lemma add_length d l : length (add d l) = length l.
Proof. unfold add. now rewrite !add_at_length. Qed.

(* Whatever is deposited, and however often: the value is the sum, and no word but the top one ever
   leaves the range in which carries fit (carries_fit). *)
Theorem accumulator_is_the_sum n deposits : (0 < n)%nat -> Forall (deposit_fits n) deposits ->
  let start := {| words := repeat 0 n; n_free := EXB_MAX_DEPOSITS |} in
  let s := fold_left deposit_one deposits start in
  length (words s) = n /\
  value (words s) = fold_right (fun d x => deposit_value d + x) 0 deposits /\
  0 <= n_free s <= EXB_MAX_DEPOSITS /\
  below_top (small (EXB_MAX_DEPOSITS - n_free s)) (words s).
Proof.
  intros N H start s.
  assert (G : forall l s0, Forall (deposit_fits n) l -> length (words s0) = n ->
    0 <= n_free s0 <= EXB_MAX_DEPOSITS ->
    below_top (small (EXB_MAX_DEPOSITS - n_free s0)) (words s0) ->
    let s1 := fold_left deposit_one l s0 in
    length (words s1) = n /\
    value (words s1) = value (words s0) + fold_right (fun d x => deposit_value d + x) 0 l /\
    0 <= n_free s1 <= EXB_MAX_DEPOSITS /\
    below_top (small (EXB_MAX_DEPOSITS - n_free s1)) (words s1)).
  { induction l as [|d l IH]; intros s0 Hl L R B; [simpl; repeat split; auto; lia|].
    inversion Hl as [|? ? Hd Hl']; subst.
    assert (P : length (words (reserve s0)) = length (words s0) /\
                value (words (reserve s0)) = value (words s0) /\
                0 <= n_free (reserve s0) <= EXB_MAX_DEPOSITS - 1 /\
                below_top (small (EXB_MAX_DEPOSITS - n_free (reserve s0) - 1)) (words (reserve s0))).
    { unfold reserve. destruct (Z.eqb_spec (n_free s0) 0) as [E|E]; cbn [words n_free].
      - assert (words s0 <> []) by (destruct (words s0); simpl in N; [lia|easy]).
        destruct (normalize_keeps_value (words s0) H0) as [V I].
        rewrite normalize_length. repeat split; auto; try (sizes; lia).
        replace (EXB_MAX_DEPOSITS - (EXB_MAX_DEPOSITS - 1) - 1) with 0 by ring.
        now apply in_range_below_top.
      - repeat split; try lia.
        replace (EXB_MAX_DEPOSITS - (n_free s0 - 1) - 1) with (EXB_MAX_DEPOSITS - n_free s0) by ring.
        exact B. }
    destruct P as [P1 [P2 [P3 P4]]].
    rewrite <- P1 in Hd.
    specialize (IH (deposit_one s0 d) Hl').
    unfold deposit_one in IH at 1 2 3 4 5. cbn [words n_free] in IH.
    rewrite add_length in IH. specialize (IH P1 ltac:(lia)).
    pose proof (add_below_top _ _ _ Hd P4) as Q.
    replace (EXB_MAX_DEPOSITS - n_free (reserve s0) - 1 + 1) with
      (EXB_MAX_DEPOSITS - n_free (reserve s0)) in Q by ring.
    specialize (IH Q). cbv zeta in IH. destruct IH as [I1 [I2 [I3 I4]]].
    change (fold_left deposit_one (d :: l) s0) with (fold_left deposit_one l (deposit_one s0 d)).
    repeat split; auto; try lia.
    rewrite I2. unfold deposit_one. cbn [words]. rewrite add_value by exact Hd.
    rewrite P2. simpl fold_right. ring. }
  specialize (G deposits start H). cbv zeta in G. cbn [words n_free start] in G.
  rewrite repeat_length in G. specialize (G eq_refl ltac:(sizes; lia)).
  destruct G as [G1 [G2 [G3 G4]]].
  - clear. replace (EXB_MAX_DEPOSITS - EXB_MAX_DEPOSITS) with 0 by ring.
    induction n as [|[|n] IH]; simpl; auto. split; [unfold small; sizes; lia|exact IH].
  - fold s in G1, G2, G3, G4. repeat split; auto; try lia.
    rewrite G2. assert (Zero : value (repeat 0 n) = 0) by (clear; induction n; cbn [repeat value]; lia).
    rewrite Zero. ring.
Qed.

(* The windows are deep enough for what is deposited: the lowest bit of any product, the bits above
   the largest double and above 2^63 of the largest products. *)
Theorem windows_hold :
  EXB_GRID_EXP2 + w * EXB_SUM_FIRST <= -1074 /\
  EXB_GRID_EXP2 + w * EXB_PRODUCT_FIRST <= -1074 - 1074 - 2 /\
  1024 + 63 <= EXB_GRID_EXP2 + w * (EXB_SUM_FIRST + EXB_SUM_WORDS) /\
  2 * 1024 + 63 <= EXB_GRID_EXP2 + w * (EXB_PRODUCT_FIRST + EXB_PRODUCT_WORDS) /\
  EXB_GRID_EXP2 + w * EXB_FINISH_FIRST <= -3 * 1074 /\
  3 * 1024 + 63 <= EXB_GRID_EXP2 + w * (EXB_FINISH_FIRST + EXB_FINISH_WORDS).
Proof.
  unfold EXB_GRID_EXP2, EXB_SUM_FIRST, EXB_SUM_WORDS, EXB_PRODUCT_FIRST, EXB_PRODUCT_WORDS,
    EXB_FINISH_FIRST, EXB_FINISH_WORDS, EXB_WORD_BITS. lia.
Qed.

(* The deposit of a term of up to 106 bits, (-1)^sign (q 2^53 + low) 2^offset. *)
(* C: lib/core/arith/words.h
   return (exb_i64)((magnitude ^ (exb_u64)sign) - (exb_u64)sign); *)
Definition deposit_of (negative : bool) (q low offset : Z) : deposit :=
  let sign := if negative then -1 else 1 in
  let shift := offset mod w in
  {| at_word := Z.to_nat (offset / w); by_0 := sign * piece_0 low shift;
     by_1 := sign * piece_1 q low shift; by_2 := sign * piece_2 q shift |}.

Theorem deposit_is_the_term n negative q low offset :
  0 <= low < W -> 0 <= q < W -> 0 <= offset -> offset / w + 2 < Z.of_nat n ->
  deposit_fits n (deposit_of negative q low offset) /\
  deposit_value (deposit_of negative q low offset) =
    (if negative then -1 else 1) * ((q * W + low) * 2 ^ offset).
Proof.
  intros Hl Hq Ho Hn.
  assert (Hs : 0 <= offset mod w < w) by (apply Z.mod_pos_bound; sizes; lia).
  assert (Hq' : 0 <= q < 2 ^ 55) by (sizes; lia).
  destruct (pieces_are_the_term q low (offset mod w) Hl Hq' Hs) as [V [A [B [_ C]]]].
  specialize (C (proj2 Hq)).
  assert (P2 : 0 <= piece_2 q (offset mod w)).
  { apply Z.shiftr_nonneg. lia. }
  assert (D : 0 <= offset / w) by (apply Z.div_pos; sizes; lia).
  assert (E : 2 ^ offset = 2 ^ (offset mod w) * W ^ (offset / w)).
  { rewrite <- Z.pow_mul_r by (sizes; lia). rewrite <- Z.pow_add_r by (sizes; nia).
    f_equal. pose proof (Z.div_mod offset w ltac:(sizes; lia)). lia. }
  split.
  - unfold deposit_fits, deposit_of. cbn [at_word by_0 by_1 by_2].
    split; [lia|]. destruct negative; lia.
  - unfold deposit_value, deposit_of. cbn [at_word by_0 by_1 by_2].
    rewrite Z2Nat.id, E by lia. rewrite (Z.mul_assoc (q * W + low)), <- V.
    destruct negative; ring.
Qed.

(* --- rounding ------------------------------------------------------------------- *)

Open Scope R_scope.

Section Rounding.
(* A format: bits of significand, exponent of the least positive number. *)
Variables n_bits min_exp2 : Z.
Hypothesis bits : (2 <= n_bits <= 53)%Z.
Instance bits_pos : Prec_gt_0 n_bits. Proof. unfold Prec_gt_0. lia. Qed.

(* C: lib/core/arith/encode.h
   int exp2 = a->exp2 + EXB_STORED_BITS - f.n_bits;
   if (exp2 < f.min_exp2)
   exp2 = f.min_exp2;
   int n_dropped = exp2 - a->exp2;
   if (n_dropped > EXB_STORED_BITS)
   exb_u64 kept = n_dropped < EXB_STORED_BITS ? a->significand >> n_dropped : 0;
   exb_u64 round = a->significand >> (n_dropped - 1) & 1;
   bool sticky = a->inexact || (a->significand & (((exb_u64)1 << (n_dropped - 1)) - 1)) != 0;
   kept += round & ((exb_u64)sticky | (kept & 1)); *)
Definition kept_exponent (exp2 : Z) := Z.max (exp2 + EXB_STORED_BITS - n_bits) min_exp2.
Definition rounded (significand exp2 : Z) (inexact : bool) : Z :=
  let n_dropped := (kept_exponent exp2 - exp2)%Z in
  if (EXB_STORED_BITS <? n_dropped)%Z then 0%Z else
  let kept := (significand / 2 ^ n_dropped)%Z in
  let round := Z.odd (significand / 2 ^ (n_dropped - 1)) in
  let sticky := inexact || negb (significand mod 2 ^ (n_dropped - 1) =? 0)%Z in
  if round && (sticky || Z.odd kept) then (kept + 1)%Z else kept.

(* A number's leading 64 bits, and whether there is anything below them, say what it rounds to: also
   where it is subnormal. *)
Theorem rounded_is_nearest significand exp2 inexact t :
  (2 ^ 63 <= significand < 2 ^ 64)%Z -> 0 <= t < 1 -> (inexact = true <-> 0 < t) ->
  round radix2 (FLT_exp min_exp2 n_bits) ZnearestE ((IZR significand + t) * bpow radix2 exp2) =
    IZR (rounded significand exp2 inexact) * bpow radix2 (kept_exponent exp2).
Proof.
  intros Hs Ht Hi. set (x := (IZR significand + t) * bpow radix2 exp2).
  assert (S0 : IZR (2 ^ 63) <= IZR significand) by (apply IZR_le; lia).
  assert (S1 : IZR significand <= IZR (2 ^ 64 - 1)) by (apply IZR_le; lia).
  rewrite minus_IZR in S1.
  change (IZR (2 ^ 63)) with (bpow radix2 63) in S0. change (IZR (2 ^ 64)) with (bpow radix2 64) in S1.
  pose proof (bpow_gt_0 radix2 exp2) as E0. pose proof (bpow_gt_0 radix2 63) as P63.
  assert (M : mag radix2 x = (exp2 + 64)%Z :> Z).
  { apply mag_unique_pos. unfold x.
    replace (exp2 + 64 - 1)%Z with (63 + exp2)%Z by ring. rewrite (Z.add_comm exp2 64), !bpow_plus.
    split; [apply Rmult_le_compat_r; lra|apply Rmult_lt_compat_r; lra]. }
  assert (C : cexp radix2 (FLT_exp min_exp2 n_bits) x = kept_exponent exp2).
  { unfold cexp, FLT_exp. rewrite M. reflexivity. }
  unfold round, F2R, scaled_mantissa. rewrite C. cbn [Fnum Fexp]. f_equal. f_equal.
  unfold rounded. set (d := (kept_exponent exp2 - exp2)%Z).
  assert (D : (11 <= d)%Z) by (unfold d, kept_exponent, EXB_STORED_BITS; lia).
  replace (x * bpow radix2 (- kept_exponent exp2)) with ((IZR significand + t) * bpow radix2 (- d)).
  2: { unfold x, d. rewrite Rmult_assoc, <- bpow_plus. do 2 f_equal. ring. }
  clear M C x. destruct (Z.ltb_spec EXB_STORED_BITS d) as [B|B]; unfold EXB_STORED_BITS in B.
  - apply Znearest_imp. rewrite Rminus_0_r. pose proof (bpow_gt_0 radix2 (- d)) as Pd.
    rewrite Rabs_pos_eq by (apply Rmult_le_pos; lra).
    apply Rlt_le_trans with (bpow radix2 64 * bpow radix2 (- d)).
    + apply Rmult_lt_compat_r; lra.
    + rewrite <- bpow_plus. change (/ 2) with (bpow radix2 (-1)). apply bpow_le. lia.
  - (* significand = kept 2^d + (round 2^(d-1) + low) *)
    assert (P : (0 < 2 ^ (d - 1))%Z) by (apply Z.pow_pos_nonneg; lia).
    assert (P2 : (2 ^ d = 2 * 2 ^ (d - 1))%Z) by (rewrite <- Z.pow_succ_r by lia; f_equal; lia).
    set (h := (2 ^ (d - 1))%Z) in *.
    assert (Q : bpow radix2 (- d) = / (2 * IZR h)).
    { rewrite bpow_opp, <- (IZR_Zpower radix2) by lia. change (radix2 ^ d)%Z with (2 ^ d)%Z.
      now rewrite P2, mult_IZR. }
    rewrite Q, P2. pose proof (Z.div_mod significand h ltac:(lia)) as E.
    pose proof (Z.mod_pos_bound significand h P) as Bl.
    set (top := (significand / h)%Z) in *. set (low := (significand mod h)%Z) in *.
    assert (K : (significand / (2 * h) = top / 2)%Z).
    { unfold top. rewrite Z.mul_comm, <- Z.div_div by lia. reflexivity. }
    rewrite K. set (kept := (top / 2)%Z).
    assert (T : (top = 2 * kept + Z.b2z (Z.odd top))%Z).
    { unfold kept. rewrite <- Zdiv2_div. apply Zdiv2_odd_eqn. }
    assert (Hh : 0 < IZR h) by now apply IZR_lt.
    assert (Lo : 0 <= IZR low <= IZR h - 1).
    { split; [apply IZR_le; lia|]. rewrite <- minus_IZR. apply IZR_le. lia. }
    set (f := (IZR (Z.b2z (Z.odd top)) * IZR h + IZR low + t) / (2 * IZR h)).
    replace ((IZR significand + t) * / (2 * IZR h)) with (IZR kept + f).
    2: { assert (EZ : (significand = (2 * kept + Z.b2z (Z.odd top)) * h + low)%Z).
         { rewrite <- T. lia. }
         unfold f. rewrite EZ. rewrite plus_IZR, mult_IZR, plus_IZR, mult_IZR. field. lra. }
    assert (F0 : f * (2 * IZR h) = IZR (Z.b2z (Z.odd top)) * IZR h + IZR low + t).
    { unfold f. field. lra. }
    assert (F1 : 0 <= f < 1).
    { split.
      - apply Rmult_le_reg_r with (2 * IZR h); [lra|]. rewrite F0, Rmult_0_l.
        destruct (Z.odd top); simpl; lra.
      - apply Rmult_lt_reg_r with (2 * IZR h); [lra|]. rewrite F0.
        destruct (Z.odd top); simpl; lra. }
    assert (Fl : Zfloor (IZR kept + f) = kept).
    { apply Zfloor_imp. rewrite plus_IZR. lra. }
    destruct (Z.odd top) eqn:O; simpl (IZR (Z.b2z _)) in F0.
    + destruct (Req_dec (IZR low + t) 0) as [Tie|NoTie].
      * assert (t = 0) by lra. assert (IZR low = 0) by lra. apply eq_IZR in H0.
        assert (Half : f = / 2).
        { apply Rmult_eq_reg_r with (2 * IZR h); [|lra]. rewrite F0, H, H0. field. }
        replace (low =? 0)%Z with true by (symmetry; now apply Z.eqb_eq).
        assert (I : inexact = false) by (destruct inexact; auto; destruct Hi as [Hi _]; specialize (Hi eq_refl); lra).
        rewrite I. simpl orb. simpl andb.
        unfold Znearest. rewrite Fl, Rcompare_Eq by lra.
        rewrite Z.negb_even || rewrite <- Z.negb_odd, negb_involutive.
        destruct (Z.odd kept); auto.
        rewrite (Zceil_imp (kept + 1)); auto. rewrite minus_IZR, !plus_IZR. lra.
      * assert (St : inexact || negb (low =? 0)%Z = true).
        { destruct (Z.eqb_spec low 0) as [Z0|Z0]; [|now rewrite orb_true_r].
          rewrite Z0 in NoTie. assert (0 < t) by lra. apply Hi in H. now rewrite H. }
        rewrite St. simpl orb. simpl andb. unfold Znearest. rewrite Fl, Rcompare_Gt.
        -- apply Zceil_imp. rewrite minus_IZR, !plus_IZR.
           assert (0 < f); [|lra]. apply Rmult_lt_reg_r with (2 * IZR h); [lra|]. rewrite F0. lra.
        -- replace (IZR kept + f - IZR kept) with f by ring.
           apply Rmult_lt_reg_r with (2 * IZR h); [lra|]. rewrite F0. lra.
    + simpl andb. unfold Znearest. rewrite Fl, Rcompare_Lt; auto.
      replace (IZR kept + f - IZR kept) with f by ring.
      apply Rmult_lt_reg_r with (2 * IZR h); [lra|]. rewrite F0. lra.
Qed.
End Rounding.
